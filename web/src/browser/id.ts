/** A random id of 128 bits in hex. crypto.randomUUID is only available in pages that were loaded over TLS or from localhost. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
