import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

/**
 * Writes into the page which version it is: a hash of the names of its files, which have
 * a hash of their contents each. An open page finds out by it that another version has
 * been deployed.
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
