interface Props<Status extends string> {
  event: { from: Status | null; to: Status };
  /** The label of a status. */
  name: (status: Status) => string;
}

/** The status before and after an event; nothing if the status did not change. */
export function StatusMove<Status extends string>({ event: { from, to }, name }: Props<Status>) {
  if (from === null || from === to) return null;
  return (
    <span>
      {name(from)} → {name(to)}
    </span>
  );
}
