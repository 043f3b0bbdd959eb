/**
 * A random id of 128 bits in hex. crypto.randomUUID is missing on pages that were
 * not loaded over TLS or from this machine.
 */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
