package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TensorboardRuleTest {

  private final RuleTester rule = new RuleTester(new TensorboardRule());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "tensorboardSpec: {logDir: {pvc: [{name: logs}]}}",
        "tensorboardSpec: {logDir: {pvc: [{name: logs, subPath: [run1, ./a/b]}]}}",
        "tensorboardSpec: {logDir: {s3: {secretRef: {name: s}, uri: ['s3://b', 's3://b/p/q']}}}",
        "tensorboardSpec: {logDir: {http: {url: ['http://h/x', 'https://h:8080']}}}",
        "tensorboardSpec: {trainingLogFilesets: ['t9k://pvc/a', 't9k://pvc/a.b/c/d', 't9k://minio/s/b', 't9k://minio/s/b/c']}",
        "tensorboardSpec: {logDir: {pvc: [{name: logs}]}, suspend: true}",
        "tensorboardSpec: {logDir: {pvc: [{name: logs, subPath: ['a,b']}]}}",
        "tensorboardSpec: {logDir: {s3: {secretRef: {name: s}, uri: ['s3://b']}}, trainingLogFilesets: ['t9k://minio/s/c']}"
      })
  void whatCanWorkIsAccepted(String more) {
    assertThat(rule.creation(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "tensorboardSpec: {} | spec.tensorboardSpec.logDir | logDir.pvc, logDir.s3 or logDir.http",
        "tensorboardSpec: {image: i, logDir: {}} | spec.tensorboardSpec.logDir | give at least one place of logs",
        "tensorboardSpec: {logDir: {pvc: [], s3: {secretRef: {name: s}, uri: []}, http: {}}} | spec.tensorboardSpec.logDir | give at least one place",
        "tensorboardSpec: {logDir: {pvc: [{name: a}, {subPath: [b]}]}} | spec.tensorboardSpec.logDir.pvc[1].name | name a persistent volume claim",
        "tensorboardSpec: {logDir: {pvc: [null]}} | spec.tensorboardSpec.logDir.pvc[0].name | name a persistent volume claim",
        "tensorboardSpec: {logDir: {pvc: [{name: My_Logs}]}} | spec.tensorboardSpec.logDir.pvc[0].name | use lower case letters",
        "tensorboardSpec: {logDir: {pvc: [{name: a, subPath: [x, ../y]}]}} | spec.tensorboardSpec.logDir.pvc[0].subPath[1] | write its path without ..",
        "tensorboardSpec: {logDir: {pvc: [{name: a, subPath: [null]}]}} | spec.tensorboardSpec.logDir.pvc[0].subPath[0] | is no directory in the claim",
        "tensorboardSpec: {logDir: {s3: {uri: ['s3://b/p']}}} | spec.tensorboardSpec.logDir.s3.secretRef | name the Secret",
        "tensorboardSpec: {logDir: {s3: {secretRef: {}, uri: ['s3://b/p']}}} | spec.tensorboardSpec.logDir.s3.secretRef.name | name the Secret",
        "tensorboardSpec: {logDir: {s3: {secretRef: {name: s}, uri: ['s3:/b/p']}}} | spec.tensorboardSpec.logDir.s3.uri[0] | s3://<bucket>/<path>",
        "tensorboardSpec: {logDir: {s3: {secretRef: {name: s}, uri: [null]}}} | spec.tensorboardSpec.logDir.s3.uri[0] | s3://<bucket>/<path>",
        "tensorboardSpec: {logDir: {http: {url: ['http://h', 'ftp://h']}}} | spec.tensorboardSpec.logDir.http.url[1] | http://<host>/<path>",
        "tensorboardSpec: {trainingLogFilesets: ['t9k://pvc/a/b', 'pvc/a']} | spec.tensorboardSpec.trainingLogFilesets[1] | t9k://pvc/<claim>/<path>",
        "tensorboardSpec: {trainingLogFilesets: ['t9k://pvc/']} | spec.tensorboardSpec.trainingLogFilesets[0] | t9k://pvc/<claim>/<path>",
        "tensorboardSpec: {trainingLogFilesets: ['t9k://minio/secret']} | spec.tensorboardSpec.trainingLogFilesets[0] | t9k://minio/<secret>/<bucket>/<path>",
        "tensorboardSpec: {trainingLogFilesets: ['t9k://minio/s/b', 't9k://minio/t/b']} | spec.tensorboardSpec.trainingLogFilesets | need the Secrets s, t, but TensorBoard signs in with one",
        "tensorboardSpec: {logDir: {s3: {secretRef: {name: s}, uri: ['s3://b']}}, trainingLogFilesets: ['t9k://minio/t/b']} | spec.tensorboardSpec.trainingLogFilesets | use one object store",
        "tensorboardSpec: {logDir: {pvc: [{name: a, subPath: [x, 'y,z']}]}} | spec.tensorboardSpec | \"y,z\" has a comma"
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String more, String field, String remedy) {
    List<Violation> violations = rule.creation(job(more));

    assertThat(fields(violations)).containsExactly(field);
    assertThat(violations.get(0).message()).contains(remedy);
  }

  @Test
  void aPlaceThatIsChangedIsCheckedToo() {
    String before = job("tensorboardSpec: {logDir: {pvc: [{name: logs}]}}");

    assertThat(rule.change(before, job(""))).isEmpty();
    assertThat(fields(rule.change(job(""), before.replace("logs", "LOGS"))))
        .containsExactly("spec.tensorboardSpec.logDir.pvc[0].name");
  }
}
