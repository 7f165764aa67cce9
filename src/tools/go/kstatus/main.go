// Command kstatus says what kstatus and Flux make of objects.
//
// It reads requests from standard input, and prints a line with an answer for each; both are JSON:
//
//	{"object": {...}, "healthCheckExprs": {"current": "...", "failed": "...", "inProgress": "..."}}
//	{"kstatus": {"status": "...", "message": "..."}, "flux": {"status": "...", "message": "..."}}
//
// Without "healthCheckExprs", "flux" is what Flux says of a kind for which it has no expressions.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	fluxstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

// request is an object, and the expressions with which Flux is to look at it.
type request struct {
	Object           unstructured.Unstructured         `json:"object"`
	HealthCheckExprs *kustomize.HealthCheckExpressions `json:"healthCheckExprs"`
}

// answer is what both say.
type answer struct {
	Kstatus verdict `json:"kstatus"`
	Flux    verdict `json:"flux"`
}

// verdict is a status with its message.
type verdict struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

// unknown is what those who poll make of an error: the object is looked at again.
func unknown(err error) verdict {
	return verdict{Status: status.UnknownStatus.String(), Message: err.Error()}
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run answers all requests.
func run(in io.Reader, out io.Writer) error {
	decoder := json.NewDecoder(bufio.NewReader(in))
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		var asked request
		if err := decoder.Decode(&asked); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		flux, err := byFlux(&asked)
		if err != nil {
			return err
		}
		if err := encoder.Encode(answer{Kstatus: byKstatus(&asked.Object), Flux: flux}); err != nil {
			return fmt.Errorf("writing an answer: %w", err)
		}
	}
}

// byKstatus asks kstatus.
func byKstatus(object *unstructured.Unstructured) verdict {
	result, err := status.Compute(object)
	if err != nil {
		return unknown(err)
	}
	return verdict{Status: result.Status.String(), Message: result.Message}
}

// byFlux asks what Flux asks: the expressions where there are some, else its own copy of kstatus.
func byFlux(asked *request) (verdict, error) {
	var result *fluxstatus.Result
	var err error
	if asked.HealthCheckExprs == nil {
		result, err = fluxstatus.Compute(&asked.Object)
	} else {
		evaluator, invalid := cel.NewStatusEvaluator(asked.HealthCheckExprs)
		if invalid != nil {
			return verdict{}, invalid
		}
		result, err = evaluator.Evaluate(context.Background(), &asked.Object)
	}
	if err != nil {
		return unknown(err), nil
	}
	return verdict{Status: result.Status.String(), Message: result.Message}, nil
}
