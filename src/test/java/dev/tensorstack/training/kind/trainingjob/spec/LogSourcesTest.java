package dev.tensorstack.training.kind.trainingjob.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.trainingjob.v1beta1.TensorboardSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogSourcesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {logDir: {pvc: [{name: logs}]}}                                 | CLAIM:logs:
          {logDir: {pvc: [{name: logs, subPath: []}]}}                    | CLAIM:logs:
          {logDir: {pvc: [{name: logs, subPath: [a, ./b/c/, /d//e]}]}}    | CLAIM:logs:a CLAIM:logs:b/c CLAIM:logs:d/e
          {logDir: {pvc: [{name: a, subPath: [x]}, {name: b}]}}           | CLAIM:a:x CLAIM:b:
          {logDir: {s3: {secretRef: {name: s}, uri: ['s3://b/p', 's3://c']}}} | OBJECT_STORE:s:s3://b/p OBJECT_STORE:s:s3://c
          {logDir: {http: {url: ['http://h:1/x?y']}}}                     | HTTP::http://h:1/x?y
          {trainingLogFilesets: ['t9k://pvc/logs']}                       | CLAIM:logs:
          {trainingLogFilesets: ['t9k://pvc/logs/', 't9k://pvc/logs/a/b/']} | CLAIM:logs: CLAIM:logs:a/b
          {trainingLogFilesets: ['t9k://minio/s/bucket']}                 | OBJECT_STORE:s:s3://bucket
          {trainingLogFilesets: ['t9k://minio/s/bucket/a/b']}             | OBJECT_STORE:s:s3://bucket/a/b
          {logDir: {pvc: [{name: logs, subPath: [a]}]}, trainingLogFilesets: ['t9k://pvc/logs/a']} | CLAIM:logs:a
          {trainingLogFilesets: [wrong, 't9k://pvc', 't9k://minio/s', 't9k://other/x/y', null]} | -
          {logDir: {pvc: [null, {subPath: [a]}], s3: {}, http: {}}}       | -
          """)
  void eachWayToWriteAPlaceBecomesTheSame(String spec, String expected) {
    TensorboardSpec tensorboard = Serialization.unmarshal("---\n" + spec, TensorboardSpec.class);

    assertThat(
            LogSources.of(tensorboard).stream()
                .map(source -> source.kind() + ":" + source.holder() + ":" + source.path()))
        .containsExactly(expected.equals("-") ? new String[0] : expected.split(" "));
  }
}
