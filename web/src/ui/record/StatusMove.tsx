interface Props<Status extends string> {
  event: { from: Status | null; to: Status };
  /** What a status is called. */
  name: (status: Status) => string;
}

/** From which status to which an event led; nothing for one that left it as it was. */
export function StatusMove<Status extends string>({ event: { from, to }, name }: Props<Status>) {
  if (from === null || from === to) return null;
  return (
    <span>
      {name(from)} → {name(to)}
    </span>
  );
}
