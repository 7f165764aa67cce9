package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.WarningTexts;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All warnings together, as the API server passes them on; each has a test of its own. */
class WarningsTest {

  private final Warnings warnings = new Warnings(AcceleratorResources.DEFAULT);

  private List<String> of(String spec) {
    return WarningTexts.fitting(
        warnings.texts(WarningTester.given(spec)), WarningTexts.ROOM_OF_MUTATE);
  }

  private static String masters(int types) {
    return IntStream.range(0, types)
        .mapToObj(i -> "{type: master, replicas: 2}")
        .collect(Collectors.joining(", ", "{replicaSpecs: [", "]}"));
  }

  @Test
  void anOrdinaryJobIsNotWarnedOf() {
    assertThat(of(RuleTester.job("torchrunConfig: {enabled: true}"))).isEmpty();
  }

  @Test
  void anEmptyJobIsNotWarnedOf() {
    PyTorchTrainingJobSpec nothing =
        new PyTorchTrainingJobSpec(null, null, null, null, null, null, null, null);

    assertThat(
            warnings.texts(
                new WarningContext<>(nothing, new RuleContext<>(null, nothing, nothing))))
        .isEmpty();
  }

  @Test
  void allAreGivenAtOnceInAFixedOrder() {
    assertThat(
            of(
                "{torchrunConfig: {enable: true, minNodes: 1}, replicaSpecs: [{type: master,"
                    + " replicas: 2, template: {spec: {restartPolicy: Always, containers:"
                    + " [{name: c, command: [bash], env: [{name: MASTER_ADDR}]}]}}}]}"))
        .extracting(text -> text.substring(0, text.indexOf(": ")))
        .containsExactly(
            "spec.torchrunConfig.enable",
            "spec.torchrunConfig.minNodes",
            "spec.replicaSpecs[0].template.spec.restartPolicy",
            "spec.replicaSpecs[0].template.spec.containers[0].command",
            "spec.replicaSpecs[0].template.spec.containers[0].env",
            "spec.replicaSpecs[0].replicas");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 30, 31, 64, 5000})
  void thereAreNeverMoreThanTheApiServerPassesOn(int types) {
    List<String> texts = of(masters(types));

    assertThat(texts).hasSizeLessThanOrEqualTo(30);
    assertThat(texts.stream().mapToInt(String::length).sum())
        .isLessThanOrEqualTo(WarningTexts.ROOM_OF_MUTATE);
    int told =
        texts.get(texts.size() - 1).startsWith("warnings left out: ")
            ? texts.size() - 1 + leftOut(texts.get(texts.size() - 1))
            : texts.size();
    assertThat(told).isEqualTo(types);
  }

  private static int leftOut(String last) {
    return Integer.parseInt(last.replaceAll("\\D", ""));
  }

  @Test
  void longOnesAreCutAndControlCharactersGo() {
    List<String> texts =
        of(
            "{replicaSpecs: [{type: \"a\\nb\\u0007\uD83D\uDE00%s\"}, {type: master, replicas: 2}]}"
                .formatted("\uD83D\uDE00".repeat(400)));

    assertThat(texts).hasSize(1);
    String text = texts.get(0);
    assertThat(text.codePointCount(0, text.length())).isEqualTo(250);
    assertThat(text).endsWith("…").contains("a b \uD83D\uDE00").doesNotContain("\n", "\u0007");
    assertThat(text.codePoints())
        .noneMatch(character -> Character.getType(character) == Character.SURROGATE);
  }

  /** What kube-apiserver does with warnings: pkg/endpoints/filters/warning.go. */
  @Test
  void whatBothWebhooksSayFitsOneAnswerOfTheApiServerBesideItsOwnWarnings() {
    assertThat(WarningTexts.ROOM_OF_MUTATE + WarningTexts.ROOM_OF_VALIDATE)
        .isLessThanOrEqualTo(4096 - 150);
  }

  @Test
  void longOnesEndAfterAWord() {
    List<String> texts =
        WarningTexts.fitting(List.of("a word or two: " + "quota ".repeat(60)), 1300);

    assertThat(texts).singleElement().asString().endsWith(" quota…").hasSizeBetween(240, 250);
  }

  @Test
  void equalOnesAreToldOnce() {
    assertThat(WarningTexts.fitting(List.of("a: b", "c: d", "a: b"), 1300))
        .containsExactly("a: b", "c: d");
    assertThat(
            WarningTexts.merged(
                List.of("a: no: room", "b: odd", "c: no: room", "c: no: room", "d: no: room")))
        .containsExactly("a and 2 more: no: room", "b: odd");
    assertThat(WarningTexts.merged(List.of("no field", "no field"))).containsExactly("no field");
  }

  @Test
  void theLastOneCountsWhatIsLeftOutAlsoOfFurtherOnes() {
    List<String> texts =
        WarningTexts.fitting(
            Stream.concat(
                    warnings.texts(WarningTester.given(masters(64))).stream(),
                    IntStream.range(0, 36).mapToObj(i -> "still wrong: field " + i))
                .toList(),
            WarningTexts.ROOM_OF_MUTATE);

    String last = texts.get(texts.size() - 1);
    assertThat(last).startsWith("warnings left out: ");
    assertThat(texts.size() - 1 + leftOut(last)).isEqualTo(100);
  }
}
