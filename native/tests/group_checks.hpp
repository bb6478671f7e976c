// SPDX-License-Identifier: BSD-3-Clause
// What searches for groups guarantee on random tables: no undefined behavior, a group for each value with
// weight and no empty one, costs that one group does not beat, and the same answer from any number of
// threads.
#pragma once

namespace bayesieve_test {

// Prints each fault; returns how many there are.
int check_groups();

}  // namespace bayesieve_test
