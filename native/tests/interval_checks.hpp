// SPDX-License-Identifier: BSD-3-Clause
// What searches for intervals guarantee on random tables: no undefined behavior, cuts in order and within the
// table, costs that no null model beats, and the same answer from any number of threads.
#pragma once

namespace bayesieve_test {

// Prints each fault; returns how many there are.
int check_intervals();

}  // namespace bayesieve_test
