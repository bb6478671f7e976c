// SPDX-License-Identifier: BSD-3-Clause
// What fits, stacks and merged bins of additive models guarantee on random tables: finite answers that keep
// their constraints, scores of rows that are the sum of their tables, bins that no other cut beats, and the
// same bits a second time.
#pragma once

namespace bayesieve_test {

// Prints each fault; returns how many there are.
int check_additive();

}  // namespace bayesieve_test
