-- What wrk sends: one request again and again; with a file of tokens, each time another customer's.
--
--   wrk … -s requests.lua URL -- METHOD PATH BODY TOKENS [HEADER]…
--
-- BODY is "" for none. TOKENS is a file of one token a line, or "" to send the headers alone. When
-- no token is left, requests go without one, which the service refuses and the bench notices.

local head, tail, tokens

function init(args)
  local method, path, body, file = args[1], args[2], args[3], args[4]
  local lines = { method .. " " .. path .. " HTTP/1.1", "Host: bench" }
  for i = 5, #args do
    lines[#lines + 1] = args[i]
  end
  if body ~= "" then
    lines[#lines + 1] = "Content-Type: application/json"
    lines[#lines + 1] = "Content-Length: " .. #body
  end
  head = table.concat(lines, "\r\n") .. "\r\n"
  tail = "\r\n" .. body
  if file ~= "" then
    tokens = io.lines(file)
  else
    head = head .. tail
  end
end

function request()
  if not tokens then
    return head
  end
  local token = tokens()
  if not token then
    tokens = function() end
    return head .. tail
  end
  return head .. "Authorization: Bearer " .. token .. "\r\n" .. tail
end

-- The line that the bench reads: requests answered, µs, and errors of the connections.
function done(summary)
  local e = summary.errors
  print(string.format("bench: %d %d %d", summary.requests, summary.duration, e.connect + e.read + e.write + e.timeout))
end
