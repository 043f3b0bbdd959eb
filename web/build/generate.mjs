// Writes src/api/schema.d.ts from the HTTP contract and src/routeTree.gen.ts from
// the files in src/routes. Files that would not change keep their times, so that
// make does not build again for nothing.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Generator, getConfig } from '@tanstack/router-generator';
import openapi, { astToString } from 'openapi-typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const contract = new URL('../../api/openapi.yaml', import.meta.url);
const schema = new URL('../src/api/schema.d.ts', import.meta.url);

const types = astToString(await openapi(contract, { silent: true }));
const text = `// Generated from api/openapi.yaml by npm run generate.\n${types}`;
const before = await readFile(schema, 'utf8').catch(() => '');
if (before !== text) await writeFile(schema, text);

await new Generator({ config: getConfig({}, root), root }).run();
