// SPDX-License-Identifier: BSD-3-Clause
// Gradient histograms, ranks and descents over row blocks on random tables: no undefined behavior, sums that
// a plain count gives too, and the same answer from any number of threads.
#pragma once

namespace bayesieve_test {

// Prints each fault; returns how many there are.
int check_row_models();

}  // namespace bayesieve_test
