// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/losses.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "class_scores.hpp"
#include "clip.hpp"

namespace bayesieve {
namespace {

// Log loss of two classes, 0 and 1; the score is the log-odds of class 1.
class Logistic final : public ScoreLoss {
  public:
    void gradients(const double* scores, const double* variances, const double* target, const double* scale,
                   std::size_t n, std::int64_t* derivatives) const override {
        kernels().score_gradients(scores, variances, target, scale, n, derivatives);
    }

    void slopes(const double* scores, const double* target, std::size_t n, double* slope, double* curvature,
                double* losses) const override {
        double e[kChunk];
        exponentials(scores, n, e);
        for (std::size_t i = 0; i < n; ++i) {
            const double z = scores[i], likely = 1.0 / (1.0 + e[i]), curved = e[i] * likely * likely;
            slope[i] = target[i] - (z < 0.0 ? e[i] * likely : likely);
            curvature[i] = curved < 1e-6 ? 1e-6 : curved;
            losses[i] = loss_of(z, target[i], e[i]);
        }
    }

    void row_losses(const double* scores, const double* target, std::size_t n, std::size_t,
                    double* losses) const override {
        double e[kChunk];
        for (std::size_t begin = 0; begin < n; begin += kChunk) {
            const std::size_t end = std::min(n, begin + kChunk);
            exponentials(scores + begin, end - begin, e);
            for (std::size_t i = begin; i < end; ++i) {
                const double loss = loss_of(scores[i], target[i], e[i - begin]);
                losses[i] = scores[i] == scores[i] ? loss : scores[i];  // of NaN, NaN
            }
        }
    }

    void derivatives(const double* target, std::size_t n, std::size_t, const DerivativeSteps& steps,
                     const RowDerivatives& out) const override {
        kernels().pair_derivatives(out.scores, target, n, steps.gradient, steps.loss, out.gradient,
                                   out.curvature, out.losses);
    }

  private:
    static void exponentials(const double* scores, std::size_t n, double* e) {
        for (std::size_t i = 0; i < n; ++i) e[i] = scores[i] < 0.0 ? scores[i] : -scores[i];
        kernels().exponentials(n, e);
    }

    static double loss_of(double score, double target, double e) {
        const double against = target > 0.5 ? -score : score;
        return (against > 0.0 ? against : 0.0) + log_positive(1.0 + e);
    }
};

// An eighth of the squared error of a number, in half standard deviations of what is left; gradients are cut off.
class Squared final : public ScoreLoss {
    static constexpr double kCurvature = 0.25, kLargestGradient = 1024.0;
    static double gradient_of(double score, double target) {
        return clip(kCurvature * (target - score), kLargestGradient);
    }
    static double loss_of(double score, double target) {
        const double error = target - score;
        return 0.5 * kCurvature * error * error;
    }

  public:
    MostSteps most_steps() const override { return {2048.0, 2048.0}; }

    void gradients(const double* scores, const double*, const double* target, const double* scale,
                   std::size_t n, std::int64_t* derivatives) const override {
        for (std::size_t i = 0; i < n; ++i) {
            derivatives[2 * i] = nearest_integer(gradient_of(scores[i], target[i]) * scale[i]);
            derivatives[2 * i + 1] = nearest_integer(kCurvature * scale[i]);
        }
    }

    void slopes(const double* scores, const double* target, std::size_t n, double* slope, double* curvature,
                double* losses) const override {
        row_losses(scores, target, n, 1, losses);
        for (std::size_t i = 0; i < n; ++i) {
            slope[i] = gradient_of(scores[i], target[i]);
            curvature[i] = kCurvature;
        }
    }

    void row_losses(const double* scores, const double* target, std::size_t n, std::size_t,
                    double* losses) const override {
        for (std::size_t i = 0; i < n; ++i) losses[i] = loss_of(scores[i], target[i]);
    }

    void derivatives(const double* target, std::size_t n, std::size_t, const DerivativeSteps& steps,
                     const RowDerivatives& out) const override {
        for (std::size_t i = 0; i < n; ++i) {
            const double score = out.scores[i], loss = loss_of(score, target[i]);
            out.gradient[i] = nearest_integer(gradient_of(score, target[i]) * steps.gradient);
            out.curvature[i] = nearest_integer(kCurvature * steps.gradient);
            out.losses[i] = nearest_integer((loss < kLargestLogOdds ? loss : kLargestLogOdds) * steps.loss);
        }
    }
};

}  // namespace

double to_fixed(double x) { return std::rint(x * kFixedOne) * (1.0 / kFixedOne); }

const AdditiveLoss* find_loss(const std::string& name) {
    static const Logistic logistic;
    static const Softmax softmax;
    static const Squared squared;
    const std::pair<const char*, const AdditiveLoss*> losses[] = {
        {"logistic", &logistic}, {"softmax", &softmax}, {"squared", &squared}};
    for (const auto& [own, loss] : losses)
        if (name == own) return loss;
    return nullptr;
}

}  // namespace bayesieve
