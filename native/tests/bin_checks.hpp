// SPDX-License-Identifier: BSD-3-Clause
// Bins, weights of labels and positions of categories against plain loops.
#pragma once

namespace bayesieve_test {

// Prints each fault; returns how many there are.
int check_bins();

}  // namespace bayesieve_test
