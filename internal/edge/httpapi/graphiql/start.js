// Who is signed in to the admin in this browser acts as that user; a token in the Headers pane goes before.
let csrfToken;

async function headersOfSession() {
  if (csrfToken === undefined) {
    const session = await fetch('/api/v1/session', { headers: { Accept: 'application/json' } });
    csrfToken = session.ok ? (await session.json()).csrfToken : '';
  }
  return csrfToken ? { 'X-CSRF-Token': csrfToken } : {};
}

async function send(request, { headers } = {}) {
  const reply = await fetch('/api/v1/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(await headersOfSession()), ...headers },
    body: JSON.stringify(request),
  });
  return reply.json();
}

const example = `# Sign in to the admin in this browser, or put {"Authorization": "Bearer ilk_…"} into the Headers pane.
mutation Like($sku: String!, $id: Long!) {
  toggleLikeItem(itemId: $sku, actionId: $id, active: true) {
    isLiked
    lastActionId
  }
}

query Actions($sku: String!) {
  itemActions(itemId: $sku) {
    likes
    isLiked
    lastReactionId
  }
}
`;

ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, {
    fetcher: send,
    defaultQuery: example,
    shouldPersistHeaders: false,
  }),
);
