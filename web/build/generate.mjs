// Writes src/api/schema.d.ts from the HTTP contract and src/routeTree.gen.ts from
// the files in src/routes. Unchanged files retain their times, so that
// make does not rebuild.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Generator, getConfig } from '@tanstack/router-generator';
import yaml from 'js-yaml';
import openapi, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const contract = new URL('../../api/openapi.yaml', import.meta.url);
const schema = new URL('../src/api/schema.d.ts', import.meta.url);

// A list is the page of all lists with its items narrowed: the narrower schema need
// not repeat that they are an array, and the wider one, with no type of items, must
// not win over it.
const sayArrays = (schema) => {
  if (schema.items !== undefined) {
    schema.type ??= 'array';
    sayArrays(schema.items);
  }
  const inner = [schema.properties, schema.allOf, schema.oneOf, schema.anyOf].flatMap((group) => Object.values(group ?? {}));
  inner.forEach(sayArrays);
};
const transform = (schema) => (schema.type === 'array' && schema.items === undefined ? ts.factory.createTypeLiteralNode([]) : undefined);

const document = yaml.load(await readFile(contract, 'utf8'));
Object.values(document.components.schemas).forEach(sayArrays);
const types = astToString(await openapi(document, { silent: true, transform }));
const text = `// Generated from api/openapi.yaml by npm run generate.\n${types}`;
const before = await readFile(schema, 'utf8').catch(() => '');
if (before !== text) await writeFile(schema, text);

await new Generator({ config: getConfig({}, root), root }).run();
