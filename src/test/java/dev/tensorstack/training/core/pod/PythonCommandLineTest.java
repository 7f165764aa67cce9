package dev.tensorstack.training.core.pod;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PythonCommandLineTest {

  @ParameterizedTest
  @CsvSource({
    "python train.py,                      train.py",
    "python3 train.py --lr 1,              train.py --lr 1",
    "/usr/bin/python3.11 train.py,         train.py",
    "python -u train.py -x,                train.py -x",
    "python -W ignore -X dev train.py,     train.py",
    "python -m pkg.mod --a,                -m pkg.mod --a",
    "python -u -m pkg.mod,                 -m pkg.mod",
    "python -um pkg.mod --a,               -m pkg.mod --a",
    "python -mpkg.mod --a,                 -m pkg.mod --a",
    "python -OO -Wignore -Xdev train.py,   train.py",
    "python -BW ignore train.py,           train.py",
    "python -ic print(1) x,                ''",
    "python --check-hash-based-pycs never train.py, train.py",
    "python,                               ''",
    "python -c print(1),                   ''",
    "python -m,                            ''",
    "python -,                             ''",
    "bash train.sh,                        ''",
    "torchrun train.py,                    ''",
    "pythonic train.py,                    ''",
  })
  void theScriptIsFound(String command, String script) {
    assertThat(String.join(" ", PythonCommandLine.scriptOf(Arrays.asList(command.split(" ")))))
        .isEqualTo(script);
  }

  @org.junit.jupiter.api.Test
  void noCommandHasNoScript() {
    assertThat(PythonCommandLine.scriptOf(null)).isEmpty();
    assertThat(PythonCommandLine.scriptOf(List.of())).isEmpty();
    assertThat(PythonCommandLine.scriptOf(Arrays.asList("python", null))).isEmpty();
    assertThat(PythonCommandLine.scriptOf(Arrays.asList(null, "a"))).isEmpty();
  }
}
