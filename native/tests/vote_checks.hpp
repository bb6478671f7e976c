// SPDX-License-Identifier: BSD-3-Clause
// Votes on random tables, also where shares are below the range of ordinary numbers: a move is measured as
// the state after it, estimates hold their bounds, and threads change nothing.
#pragma once

namespace bayesieve_test {

// Prints each fault; returns how many there are.
int check_votes();

}  // namespace bayesieve_test
