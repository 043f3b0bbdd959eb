package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Exchange is a request with its response. The bodies contain the bytes that were read.
type Exchange struct {
	Request      *http.Request
	RequestBody  []byte
	Response     *http.Response
	ResponseBody []byte
}

// Check returns the differences between an exchange and the contract. The response to an
// undocumented URL must be 404 or 405 with a problem.
func (c *Contract) Check(x Exchange) error {
	operation := c.Find(x.Request)
	if operation == nil {
		return c.checkUnknown(x)
	}
	var faults []error
	if x.Response.StatusCode == http.StatusInternalServerError {
		// 500 is documented, so that clients are prepared for it, but never expected.
		faults = append(faults, errors.New("a fault of the service"))
	}
	if err := operation.checkReply(x); err != nil {
		faults = append(faults, err)
	}
	if x.Response.StatusCode < http.StatusMultipleChoices {
		faults = append(faults, operation.checkRequest(x)...)
	}
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%s (%s) returned %d: %w\nrequest: %s\nreply: %s", operation.Name, x.Request.URL,
		x.Response.StatusCode, errors.Join(faults...), clip(x.RequestBody), clip(x.ResponseBody))
}

func (c *Contract) checkUnknown(x Exchange) error {
	status := x.Response.StatusCode
	if status != http.StatusNotFound && status != http.StatusMethodNotAllowed && status != http.StatusBadRequest {
		return fmt.Errorf("%s %s is not documented and returned %d", x.Request.Method, x.Request.URL, status)
	}
	return c.CheckSchema("Problem", x.ResponseBody)
}

// CheckSchema validates a JSON text by a named schema of the contract.
func (c *Contract) CheckSchema(name string, text []byte) error {
	schema, err := c.compile("/components/schemas/" + token(name))
	if err != nil {
		return err
	}
	return fits(schema, text)
}

// isUnkeptReplay reports whether a response replaces one that was too large to store under
// its idempotency key: 200 with Location and no body, on any route that accepts keys, as
// the document's introduction states.
func isUnkeptReplay(x Exchange) bool {
	header := x.Response.Header
	return header.Get("X-Idempotency-Replay") == "true" && x.Response.StatusCode == http.StatusOK &&
		header.Get("Location") != "" && len(x.ResponseBody) == 0
}

func (o *Operation) checkReply(x Exchange) error {
	if isUnkeptReplay(x) {
		return nil
	}
	status := strconv.Itoa(x.Response.StatusCode)
	documented, ok := o.replies[status]
	if !ok {
		return errors.New("the status is not documented")
	}
	for name, h := range documented.headers {
		if err := h.check(x.Response.Header, name); err != nil {
			return err
		}
	}
	if len(documented.bodies) == 0 {
		if len(x.ResponseBody) > 0 {
			return errors.New("no body is documented")
		}
		return nil
	}
	if strings.HasPrefix(x.Request.URL.Path, "/api/") {
		if err := checkTimes(x.ResponseBody); err != nil {
			return err
		}
		if err := checkMoney(x.ResponseBody); err != nil {
			return err
		}
	}
	return checkBody(documented.bodies, x.Response.Header.Get("Content-Type"), x.ResponseBody)
}

var (
	anyTime   = regexp.MustCompile(`"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d[^"]{0,20}"`)
	replyTime = regexp.MustCompile(`^"[^"]{19}\.\d{6}Z"$`)
)

// checkTimes requires every time of a response in UTC with microseconds, so that times
// compare as text. Requests may use any form of RFC 3339.
func checkTimes(body []byte) error {
	for _, found := range anyTime.FindAll(body, -1) {
		if !replyTime.Match(found) {
			return fmt.Errorf("the time %s is not in UTC with microseconds", found)
		}
	}
	return nil
}

// amounts are the members of responses that contain amounts in minor units.
var amounts = []string{
	"above", "amount", "balance", "discount", "minimumAmount", "paid", "price", "refundApprovalThreshold", "refundReserved", "refundable",
	"refunded", "walletApprovalThreshold", "worth",
}

// written are the members with content of callers, and with records of the past in the audit log.
var written = []string{"data", "detail", "payload", "state", "value"}

// checkMoney requires a currency in every object with an amount, or in an object around it.
func checkMoney(body []byte) error {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return nil // no JSON: checkBody decides
	}
	return moneyIn(value, "")
}

func moneyIn(value any, pointer string) error {
	var faults []error
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			faults = append(faults, moneyIn(item, fmt.Sprintf("%s/%d", pointer, i)))
		}
	case map[string]any:
		if value["currency"] != nil {
			return nil
		}
		for name, member := range value {
			if _, isNumber := member.(float64); isNumber && slices.Contains(amounts, name) {
				faults = append(faults, fmt.Errorf("the amount at %s/%s has no currency", pointer, name))
			}
			if !slices.Contains(written, name) {
				faults = append(faults, moneyIn(member, pointer+"/"+name))
			}
		}
	}
	return errors.Join(faults...)
}

func (h *header) check(headers http.Header, name string) error {
	values := headers.Values(name)
	switch {
	case len(values) == 0 && h.required:
		return fmt.Errorf("the header %s is missing", name)
	case len(values) == 0:
		return nil
	case len(values) > 1 && name != "Set-Cookie": // the only header that may be repeated (RFC 9110, 5.3)
		return fmt.Errorf("the header %s comes %d times", name, len(values))
	}
	var value any = values[0]
	if types := h.schema.Types; types != nil && slices.Contains(types.ToStrings(), "integer") {
		value = json.Number(values[0])
		if _, err := strconv.ParseInt(values[0], 10, 64); err != nil {
			return fmt.Errorf("the header %s: %w", name, err)
		}
	}
	if err := h.schema.Validate(value); err != nil {
		return fmt.Errorf("the header %s: %w", name, err)
	}
	return nil
}

// checkRequest checks an accepted request against the document.
func (o *Operation) checkRequest(x Exchange) []error {
	var faults []error
	for name := range x.Request.URL.Query() {
		if !o.takesQuery(name) {
			faults = append(faults, fmt.Errorf("the query parameter %s was accepted and is not documented", name))
		}
	}
	if len(x.RequestBody) == 0 {
		return faults
	}
	if o.RequestBody == nil {
		return append(faults, errors.New("a body was accepted and none is documented"))
	}
	if err := checkBody(o.requests, x.Request.Header.Get("Content-Type"), x.RequestBody); err != nil {
		faults = append(faults, fmt.Errorf("the accepted request: %w", err))
	}
	return faults
}

func (o *Operation) takesQuery(name string) bool {
	for _, p := range o.Parameters {
		if p.In == openapi3.ParameterInQuery && p.Name == name {
			return true
		}
	}
	return false
}

func checkBody(bodies map[string]*jsonschema.Schema, contentType string, body []byte) error {
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return fmt.Errorf("the media type %q: %w", contentType, err)
	}
	schema, ok := bodies[mediaType]
	if !ok {
		return fmt.Errorf("the media type %s is not documented", mediaType)
	}
	if schema == nil || !strings.HasSuffix(mediaType, "json") {
		return nil
	}
	if mediaType != lines {
		return fits(schema, body)
	}
	for line := range bytes.Lines(body) {
		if err := fits(schema, line); err != nil {
			return err
		}
	}
	return nil
}

// lines is the media type of responses with one JSON document per line, each of the schema.
const lines = "application/x-ndjson"

func fits(schema *jsonschema.Schema, text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	return schema.Validate(value)
}

func clip(body []byte) string {
	const longest = 2000
	if len(body) > longest {
		return string(body[:longest]) + "…"
	}
	return string(body)
}
