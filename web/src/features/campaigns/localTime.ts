/** A time as an input of type datetime-local shows it, in the zone of the browser; seconds only where there are some. */
export function toLocal(time: string): string {
  const at = new Date(time);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const minute = `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
  return at.getSeconds() === 0 ? minute : `${minute}:${two(at.getSeconds())}`;
}

/** The time that was typed; null while there is none. */
export function fromLocal(text: string): string | null {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
