// SPDX-License-Identifier: BSD-3-Clause
// Rows whose evidence adds up. What a change adds depends on the code alone, so log-odds can be shifted in
// place, and the ratios of columns that are added or dropped are computed once.
#include <algorithm>

#include "bayesieve/engine/row_model.hpp"
#include "evidence.hpp"
#include "sparse_column.hpp"

namespace bayesieve {
namespace {

template <typename Code>
void add_shifts(const Code* codes, const std::int64_t* shift, std::size_t n, std::int64_t* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] += shift[codes[i]];
}

class AdditiveRows final : public RowModel {
  public:
    explicit AdditiveRows(const Segment& segment) : RowModel(segment) {}

    bool adds_up() const override { return true; }

    void reset() override {
        for (int c = 0; c < segment_.n_classes; ++c)
            std::fill_n(evidence_.begin() + c * segment_.n_rows, segment_.n_rows, segment_.start[c]);
    }

    void apply(const std::vector<Change>& changes) override {
        std::vector<std::int64_t> scratch;
        for (const Change& change : changes)
            add_column(segment_.columns[change.column], change_table(segment_, change, scratch),
                       segment_.n_classes, 0, segment_.n_rows, evidence_.data(), segment_.n_rows);
    }

    std::vector<std::int64_t> snapshot() const override { return evidence_; }
    bool accepts(const std::int64_t*, std::size_t n) const override { return n == evidence_.size(); }
    void restore(const std::int64_t* token, std::size_t n) override {
        std::copy_n(token, n, evidence_.begin());
    }

    ChangeTables tables(const std::vector<Change>& changes,
                        std::vector<std::vector<std::int64_t>>& scratch) const override {
        scratch.resize(std::max(scratch.size(), changes.size()));
        ChangeTables tables;
        for (std::size_t k = 0; k < changes.size(); ++k)
            tables.push_back(change_table(segment_, changes[k], scratch[k]));
        return tables;
    }

    void changed_evidence(const std::vector<Change>& changes, const ChangeTables& tables, std::size_t begin,
                          std::size_t n, std::int64_t* out) const override {
        copy_evidence(begin, n, out);
        for (std::size_t k = 0; k < changes.size(); ++k)
            add_column(segment_.columns[changes[k].column], tables[k], segment_.n_classes, begin, n, out,
                       kChunk);
    }

    void changed_log_odds(const std::vector<std::int64_t>& log_odds, const std::vector<Change>& changes,
                          const ChangeTables& tables, std::vector<std::int64_t>& out) const override {
        out.assign(log_odds.begin(), log_odds.end());
        std::vector<std::int64_t> shift;
        for (std::size_t k = 0; k < changes.size(); ++k) {
            const CodeColumn& column = segment_.columns[changes[k].column];
            shift.resize(static_cast<std::size_t>(column.n_used));
            for (std::size_t v = 0; v < shift.size(); ++v) shift[v] = tables[k][2 * v + 1] - tables[k][2 * v];
            if (column.is_sparse()) {
                shift_entries(column.entries, shift.data(), out);
            } else if (column.narrow != nullptr) {
                add_shifts(column.narrow, shift.data(), out.size(), out.data());
            } else {
                add_shifts(column.wide, shift.data(), out.size(), out.data());
            }
        }
    }

    Loss scanned(Loss loss) const override { return loss == Loss::smoothed_log_loss ? Loss::none : loss; }
    void prepare_scans() override { ratios_.build(segment_); }

    double fill(Loss loss, int y, float* out, std::size_t stride) const override {
        const std::size_t begin = segment_.class_begin[y], n = segment_.class_begin[y + 1] - begin;
        for (std::size_t i = 0; i < n; i += kChunk)
            kernels().beliefs(loss, evidence_.data() + begin + i, segment_.n_rows, segment_.n_classes, y,
                              std::min(kChunk, n - i), out + i, stride);
        return loss == Loss::log_loss ? true_class_evidence(segment_, evidence_.data(), y) : 0.0;
    }

    double fill(Loss, int y, double* out, std::size_t stride) const override {
        const std::size_t begin = segment_.class_begin[y], n = segment_.class_begin[y + 1] - begin;
        for (std::size_t i = 0; i < n; i += kChunk)
            kernels().fine_beliefs(evidence_.data() + begin + i, segment_.n_rows, segment_.n_classes, y,
                                   std::min(kChunk, n - i), out + i, stride);
        return 0.0;  // there is no fine scan of the log loss
    }

    ScanColumn scan_column(Loss, const Change& change, int y, float*& room,
                           std::vector<std::int64_t>& scratch, bool& extreme) const override {
        return ratio_column(segment_, ratios_, change, y, room, scratch, extreme);
    }

    FineColumn fine_column(Loss, const Change& change, int y, std::vector<double>& room,
                           std::vector<std::int64_t>& scratch, bool& extreme) const override {
        return fine_ratio_column(segment_, change, y, room, scratch, extreme);
    }

    Interval interval(Loss loss, const ScanSum& sum, const ScanBound& bound, double mass,
                      double base) const override {
        return loss_interval(loss, sum, bound, mass, base);
    }

  private:
    RatioCache ratios_;  // of every column that could be added or dropped
};

}  // namespace

std::unique_ptr<RowModel> make_additive_rows(const Segment& segment) {
    return std::make_unique<AdditiveRows>(segment);
}

}  // namespace bayesieve
