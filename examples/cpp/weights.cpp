// SPDX-License-Identifier: MIT
// One row of scores through three normalizers; with a model's directory and a text, the mean largest weight of each
// head under two of them.  ./weights [MODEL-DIRECTORY TEXT]
#include "norm.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

static void rows()
{
    const std::vector<float> scores = {1, 2, 3, 3.5f}, upstream = {0, 0, 0, 1};
    std::vector<float> weights(scores.size()), gradient(scores.size());
    for (const char *spec : {"softmax:temperature=0.5", "sparsemax", "entmax:alpha=1.5"}) {
        const norm::normalizer n(spec);
        n.apply(scores, scores.size(), weights);
        n.vjp(scores, upstream, scores.size(), gradient);
        std::printf("%s%s\n", n.spec().c_str(), n.is(LIBNORM_PROPERTY_SPARSE) ? " (sparse)" : "");
        for (std::size_t i = 0; i < scores.size(); i++)
            std::printf("  weight %.6f  gradient %9.6f\n", static_cast<double>(weights[i]),
                        static_cast<double>(gradient[i]));
    }
}

static void heads(const std::string &directory, const std::string &text)
{
    const norm::tokenizer tokenizer = norm::open_tokenizer(directory);
    const norm::gpt2 model = norm::open_gpt2(directory);
    const std::vector<std::int32_t> ids = norm::encode(tokenizer.get(), text);
    for (const char *spec : {"softmax", "entmax:alpha=1.5"}) {
        std::map<std::pair<int, int>, double> largest;
        norm::observe(model.get(), ids, norm::normalizer(spec), [&](const norm_head_view &view) {
            for (std::uint64_t r = 0; r < view.rows; r++) {
                const float *row = view.weights + static_cast<std::int64_t>(r) * view.weight_stride;
                largest[{view.layer, view.head}] += static_cast<double>(*std::max_element(row, row + view.visible[r]));
            }
        });
        for (const auto &head : largest)
            std::printf("%s layer %d head %d: %.3f\n", spec, head.first.first, head.first.second,
                        head.second / static_cast<double>(ids.size()));
    }
}

int main(int argc, char **argv)
{
    try {
        rows();
        if (argc == 3)
            heads(argv[1], argv[2]);
        norm::normalizer("softmax:temperatur=1");
    } catch (const norm::error &e) {
        // The last line above: a key there is not.
        std::printf("%s, byte %d: %s\n", norm_status_name(e.status()), static_cast<int>(e.where()), e.what());
        return e.status() != LIBNORM_E_SPEC;
    }
    return 1;
}
