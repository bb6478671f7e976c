// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of ranks guarantee on random rows: no undefined behavior, the statistic, tables and
// histograms that comparing all pairs gives, and bounds that hold.
#pragma once

namespace bayesieve_test {

// Prints each fault; returns how many there are.
int check_ranks();

}  // namespace bayesieve_test
