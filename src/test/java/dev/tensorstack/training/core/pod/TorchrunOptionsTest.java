package dev.tensorstack.training.core.pod;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compared by hand with the parser of torch 2.15. */
class TorchrunOptionsTest {

  @ParameterizedTest
  @CsvSource({
    "--nnodes,           nnodes",
    "--nnodes=2,         nnodes",
    "--nnode,            nnodes",
    "--rdzv_id=,         rdzv-id",
    "--rdzv-i,           rdzv-id",
    "--rdzv_c=a=b,       rdzv-conf",
    "--rdzv-e=h:1,       rdzv-endpoint",
    "--max,              max-restarts",
    "--nproc,            nproc-per-node",
    "--ro,               role",
    "--stand,            standalone",
    "--log-dir,          log-dir",
    // Several could be meant: torchrun refuses them itself.
    "--n,                ",
    "--st,               ",
    "--rdzv,             ",
    "--log,              ",
    "--master=h,         ",
    // Values, short options, a script.
    "-r,                 ",
    "-mt3,               ",
    "-nnodes,            ",
    "--,                 ",
    "train.py,           ",
    "--unknown,          ",
    "'',                 ",
  })
  void anOptionIsKnownByAnySpellingThatTorchrunAccepts(String word, String name) {
    assertThat(TorchrunOptions.nameOf(word)).isEqualTo(name);
  }
}
