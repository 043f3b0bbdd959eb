/** The logo: two interlocked rings. Its colours are the same in both schemes. */
export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" strokeWidth="3.6" aria-hidden="true">
      <circle cx="11.5" cy="16" r="8" stroke="#0b7285" />
      <circle cx="20.5" cy="16" r="8" stroke="#e8860c" />
      <path d="M16 9.4a8 8 0 0 1 3.3 4.8" stroke="#0b7285" />
    </svg>
  );
}
