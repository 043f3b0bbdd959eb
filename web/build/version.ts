import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

/**
 * Writes the version into the page: a hash of the file names, which contain a hash of their
 * contents. An open page compares it to detect a new deployment.
 */
export function buildVersion(): Plugin {
  return {
    name: 'build-version',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) => [
        {
          tag: 'meta',
          attrs: { name: 'build', content: createHash('sha256').update(Object.keys(bundle).sort().join()).digest('hex').slice(0, 16) },
          injectTo: 'head',
        },
      ],
    },
  };
}
