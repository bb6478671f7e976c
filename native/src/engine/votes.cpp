// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/engine/votes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bayesieve/elementary.hpp"
#include "evidence.hpp"
#include "kernels/constants.hpp"
#include "sparse_column.hpp"
#include "vote_count.hpp"

namespace bayesieve {
namespace {

constexpr std::int64_t kVoteOne = std::int64_t{1} << 50;

// A selected column and its weight.
struct Voter {
    std::int32_t column;
    double weight;
};

// With which probability a column is counted in each of some rows, and with which it is not.
struct Chances {
    std::vector<double> counted, rest;
};

// A sum whose error does not grow with the number of terms.
class LongSum {
  public:
    void add(double x) {
        const double sum = sum_ + x;
        lost_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
        sum_ = sum;
    }
    double value() const { return sum_ + lost_; }

  private:
    double sum_ = 0.0, lost_ = 0.0;
};

class Votes final : public RowModel {
  public:
    Votes(const Segment& segment, VoteRule rule) : RowModel(segment), rule_(std::move(rule)) {}

    void reset() override {
        voters_.clear();
        count_.begin(segment_.n_rows);
        write_start(segment_.n_rows, evidence_.data(), segment_.n_rows);
        prepare();
    }

    void apply(const std::vector<Change>& changes) override {
        const std::vector<Voter> wanted = voters_after(changes);
        if (!same_so_far(wanted)) reset();
        if (wanted.size() == voters_.size()) return;
        for (std::size_t k = voters_.size(); k < wanted.size(); ++k) {
            read_chances(wanted[k], 0, segment_.n_rows, chances_);
            if (k + 1 == wanted.size()) {
                if (k > voters_.size()) prepare();  // otherwise it is the present stake
                write_evidence(evidence_.data());
            }
            count_.advance(chances_.counted.data(), chances_.rest.data(), segment_.n_rows, rule_.cap);
        }
        voters_ = wanted;
        prepare();
    }

    ChangeTables tables(const std::vector<Change>&, std::vector<std::vector<std::int64_t>>&) const override {
        return {};
    }

    void changed_evidence(const std::vector<Change>& changes, const ChangeTables&, std::size_t begin,
                          std::size_t n, std::int64_t* out) const override {
        if (changes.empty()) {
            copy_evidence(begin, n, out);
            return;
        }
        static thread_local Chances chances;
        const std::size_t reached = reached_class() * kChunk, missed = kChunk - reached;
        if (is_addition(changes)) {
            read_chances({changes[0].column, changes[0].after}, begin, n, chances);
            stake_.decide(chances.counted.data(), chances.rest.data(), begin, n, out + reached, out + missed);
            return;
        }
        static thread_local Count count;
        static thread_local Stake stake;
        const std::vector<Voter> wanted = voters_after(changes);
        if (wanted.empty()) {
            write_start(n, out, kChunk);
            return;
        }
        count.begin(n);
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            read_chances(wanted[k], begin, n, chances);
            if (k + 1 < wanted.size())
                count.advance(chances.counted.data(), chances.rest.data(), n, rule_.cap);
        }
        stake.find(count, decisive(wanted.size()), n);
        stake.decide(chances.counted.data(), chances.rest.data(), 0, n, out + reached, out + missed);
    }

    std::vector<std::int64_t> snapshot() const override {
        std::vector<std::int64_t> token;
        for (const Voter& voter : voters_) {
            token.push_back(voter.column);
            token.push_back(bits_of(voter.weight));
        }
        return token;
    }

    bool accepts(const std::int64_t* token, std::size_t n) const override {
        for (std::size_t i = 0; i < n; i += 2)
            if (token[i] < 0 || static_cast<std::size_t>(token[i]) >= segment_.columns.size()) return false;
        return n % 2 == 0;
    }

    void restore(const std::int64_t* token, std::size_t n) override {
        std::vector<Change> changes;
        for (std::size_t i = 0; i < n; i += 2)
            changes.push_back({static_cast<std::int32_t>(token[i]), 0.0, double_of(token[i + 1])});
        reset();
        apply(changes);
    }

    Loss scanned(Loss loss) const override {
        return loss == Loss::error_probability ? Loss::linear
               : loss == Loss::log_loss        ? Loss::log_loss
                                               : Loss::none;
    }

    double fill(Loss loss, int y, float* out, std::size_t stride) const override {
        return fill_rows(loss, y, out, stride);
    }
    double fill(Loss loss, int y, double* out, std::size_t stride) const override {
        return fill_rows(loss, y, out, stride);
    }
    ScanColumn scan_column(Loss loss, const Change& change, int y, float*& room, std::vector<std::int64_t>&,
                           bool& extreme) const override {
        const ScanColumn column = plain_column<float>(segment_, change.column, y, room);
        extreme = !write_table(loss, change, y, column.table_stride, room);
        room += column.table_stride;
        return column;
    }
    FineColumn fine_column(Loss loss, const Change& change, int y, std::vector<double>& room,
                           std::vector<std::int64_t>&, bool& extreme) const override {
        room.resize(ratio_room(segment_, &change.column, 1));
        const FineColumn column = plain_column<double>(segment_, change.column, y, room.data());
        extreme = !write_table(loss, change, y, column.table_stride, room.data());
        return column;
    }

    // Exact measures round two logarithms a row, and T and U add up to 1 but for a rounding a column.
    Interval interval(Loss loss, const ScanSum& sum, const ScanBound& bound, double mass,
                      double base) const override {
        const double rounding = mass * (0x1p-38 + static_cast<double>(voters_.size() + kChunk) * 0x1p-50);
        if (loss == Loss::linear)
            return {base + sum.low,
                    bound.relative * sum.low * (1 + 0x1p-10) + bound.absolute * mass + rounding};
        return {base - sum.low, bound.absolute * mass + bound.relative * kLn2 * sum.high +
                                    std::fabs(base) * 0x1p-40 + rounding};
    }

  private:
    int reached_class() const { return rule_.counts_refusals ? 0 : 1; }

    std::int64_t decisive(std::size_t k) const {
        return rule_.decisive[std::min(k, rule_.decisive.size() - 1)];
    }

    void prepare() { stake_.find(count_, decisive(count_.k + 1), segment_.n_rows); }

    static bool is_addition(const std::vector<Change>& changes) {
        return changes.size() == 1 && changes[0].before == 0.0 && changes[0].after != 0.0;
    }

    std::vector<Voter> voters_after(const std::vector<Change>& changes) const {
        std::vector<Voter> voters = voters_;
        for (const Change& change : changes) {
            if (change.before == 0.0) {
                if (change.after != 0.0) voters.push_back({change.column, change.after});
                continue;
            }
            for (Voter& voter : voters)
                if (voter.column == change.column) voter.weight = change.after;
            voters.erase(std::remove_if(voters.begin(), voters.end(),
                                        [](const Voter& voter) { return voter.weight == 0.0; }),
                         voters.end());
        }
        return voters;
    }

    bool same_so_far(const std::vector<Voter>& wanted) const {
        return wanted.size() >= voters_.size() &&
               std::equal(voters_.begin(), voters_.end(), wanted.begin(), [](const Voter& a, const Voter& b) {
                   return a.column == b.column && a.weight == b.weight;
               });
    }

    // The vote of a code: at weight w, the class share plus w times the difference of the vote from it.
    std::int64_t counted(const CodeColumn& column, double weight, std::size_t code) const {
        std::int64_t vote = column.table[2 * code + 1];
        if (weight != 1.0) {
            const std::int64_t share = column.table[2 * static_cast<std::size_t>(column.n_codes) - 1];
            vote =
                share + static_cast<std::int64_t>(std::nearbyint(weight * static_cast<double>(vote - share)));
            vote = std::max<std::int64_t>(1, std::min(vote, kVoteOne - 1));
        }
        return rule_.counts_refusals ? kVoteOne - vote : vote;
    }

    double weight(std::size_t i) const {
        return segment_.weights.empty() ? 1.0 : static_cast<double>(segment_.weights[i]);
    }

    static double chance(std::int64_t vote) { return static_cast<double>(vote) * 0x1p-50; }

    void read_chances(const Voter& voter, std::size_t begin, std::size_t n, Chances& out) const {
        out.counted.resize(std::max(out.counted.size(), n));
        out.rest.resize(std::max(out.rest.size(), n));
        CodeColumn column = segment_.columns[voter.column];
        static thread_local std::vector<std::uint16_t> room;
        const std::size_t first = column.is_sparse() ? 0 : begin;
        if (column.is_sparse()) {
            room.resize(std::max(room.size(), spread_size(column, n)));
            column = spread(column, begin, n, room.data());
        }
        if (column.narrow != nullptr) {
            double votes[256], refusals[256];
            for (std::int32_t v = 0; v < column.n_used; ++v) {
                const std::int64_t vote = counted(column, voter.weight, v);
                votes[v] = chance(vote);
                refusals[v] = chance(kVoteOne - vote);
            }
            const std::uint8_t* codes = column.narrow + first;
            for (std::size_t i = 0; i < n; ++i) out.counted[i] = votes[codes[i]];
            for (std::size_t i = 0; i < n; ++i) out.rest[i] = refusals[codes[i]];
            return;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::int64_t vote = counted(column, voter.weight, column.wide[first + i]);
            out.counted[i] = chance(vote);
            out.rest[i] = chance(kVoteOne - vote);
        }
    }

    // Before the last voter is counted: the evidence of all rows with it.
    void write_evidence(std::int64_t* evidence) {
        const std::size_t n_rows = segment_.n_rows;
        for (std::size_t i = 0; i < n_rows; i += kChunk)
            stake_.decide(chances_.counted.data() + i, chances_.rest.data() + i, i,
                          std::min(kChunk, n_rows - i), evidence + reached_class() * n_rows + i,
                          evidence + (1 - reached_class()) * n_rows + i);
    }

    void write_start(std::size_t n, std::int64_t* out, std::size_t stride) const {
        for (int c = 0; c < 2; ++c)
            std::fill_n(out + c * stride, n,
                        nearest_integer(log_positive(chance(segment_.start[c])) * kFixedOne));
    }

    template <typename Real>
    static Real kept(double x) {
        return x < static_cast<double>(std::numeric_limits<Real>::min()) ? Real{0} : static_cast<Real>(x);
    }

    // Linear: a row of class y loses the probability of the other class, base + q x chance. Otherwise its
    // loss is -log of the probability of y, (first + second x chance) s.
    template <typename Real>
    double fill_rows(Loss loss, int y, Real* out, std::size_t stride) const {
        const bool upper = (y == reached_class()) != (loss == Loss::linear);
        const ScaledRows* sure = upper ? (stake_.has_above ? &stake_.above : nullptr)
                                       : (stake_.has_below ? &stake_.below : nullptr);
        const std::size_t begin = segment_.class_begin[y], n = segment_.class_begin[y + 1] - begin;
        LongSum base;
        if (loss == Loss::linear) {
            for (std::size_t i = 0; i < n; i += kChunk) {
                const std::size_t end = std::min(n, i + kChunk);
                for (std::size_t k = i; k < end; ++k)
                    out[stride + k] = kept<Real>(stake_.at(*stake_.last, begin + k).value());
                if (sure == nullptr) continue;
                double sum = 0.0;
                for (std::size_t k = i; k < end; ++k)
                    sum += weight(begin + k) * stake_.at(*sure, begin + k).value();
                base.add(sum);
            }
            return base.value();
        }
        for (std::size_t i = 0; i < n; ++i) {
            const Scaled q = stake_.at(*stake_.last, begin + i);
            const Scaled s = sure == nullptr ? Scaled{0.0, q.e} : stake_.at(*sure, begin + i);
            const bool by_q = q.e > s.e || (q.e == s.e && q.m >= s.m);
            const Scaled& top = by_q ? q : s;
            const auto share = [&](const Scaled& x) {
                return kept<Real>(Scaled{x.m / top.m, x.e - top.e}.value());
            };
            out[i] = by_q ? share(s) : Real{1};
            out[stride + i] = by_q ? Real{1} : share(q);
            base.add(-weight(begin + i) * (std::log(top.m) + static_cast<double>(top.e) * (500 * kLn2)));
        }
        return base.value();
    }

    template <typename Real>
    bool write_table(Loss loss, const Change& change, int y, std::size_t stride, Real* out) const {
        if (change.before != 0.0 || change.after == 0.0) return false;
        const bool upper = (y == reached_class()) != (loss == Loss::linear);
        const CodeColumn& column = segment_.columns[change.column];
        for (std::size_t v = 0; v < stride; ++v) {
            if (v >= static_cast<std::size_t>(column.n_used)) {
                out[v] = Real{0};
                continue;
            }
            const std::int64_t vote = counted(column, change.after, v);
            out[v] = static_cast<Real>(chance(upper ? vote : kVoteOne - vote));
        }
        return true;
    }

    VoteRule rule_;
    std::vector<Voter> voters_;
    Count count_;
    Stake stake_;
    Chances chances_;
};

}  // namespace

std::unique_ptr<RowModel> make_votes(const Segment& segment, const VoteRule& rule) {
    return std::make_unique<Votes>(segment, rule);
}

}  // namespace bayesieve
