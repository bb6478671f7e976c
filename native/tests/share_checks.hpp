// SPDX-License-Identifier: BSD-3-Clause
// Exact measures of so few moves of so many rows that threads divide the rows: those of the state after each
// move, with any number of threads.
#pragma once

namespace bayesieve_test {

// Prints each fault; returns how many there are.
int check_shares();

}  // namespace bayesieve_test
