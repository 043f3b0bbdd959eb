// Finds exports that no other file imports. A name that an index re-exports is used if another
// file imports it from there; a type is used if its file uses it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

const generated = ['src/routeTree.gen.ts', 'src/api/schema.d.ts'];
// Files that vite, vitest or the router load by name.
const isEntry = (file) => /^src\/routes\/|\.(test|e2e)\.tsx?$|config\.ts$|\.d\.ts$/.test(file);

const filesIn = (folder) => ts.sys.readDirectory(folder, ['.ts', '.tsx']).map((file) => file.replaceAll('\\', '/'));

function resolve(from, name) {
  const path = name.startsWith('@/') ? `src/${name.slice(2)}` : name.startsWith('.') ? normalize(join(dirname(from), name)) : undefined;
  if (path === undefined) return undefined;
  return [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((file) => existsSync(file) && statSync(file).isFile());
}

const exported = new Map();
const used = new Set();

for (const file of [...filesIn('src'), ...filesIn('e2e')]) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true, file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  const names = new Set();
  const use = (module, name) => {
    const target = resolve(file, module.text);
    if (target !== undefined) used.add(`${target} ${name}`);
  };
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings;
      if (node.importClause?.name) use(node.moduleSpecifier, 'default');
      if (bindings && ts.isNamespaceImport(bindings)) use(node.moduleSpecifier, '*');
      if (bindings && ts.isNamedImports(bindings))
        bindings.elements.forEach(({ name, propertyName }) => use(node.moduleSpecifier, (propertyName ?? name).text));
    } else if (ts.isExportDeclaration(node) && node.exportClause && ts.isNamedExports(node.exportClause)) {
      node.exportClause.elements.forEach(({ name, propertyName }) => {
        names.add(name.text);
        if (node.moduleSpecifier) use(node.moduleSpecifier, (propertyName ?? name).text);
      });
    } else if (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) {
      if (ts.isVariableStatement(node)) node.declarationList.declarations.forEach(({ name }) => ts.isIdentifier(name) && names.add(name.text));
      else if (
        (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) &&
        source.text.match(new RegExp(`\\b${node.name.text}\\b`, 'g'))?.length !== 1
      )
        return;
      else if (node.name && !ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) names.add(node.name.text);
    }
    // All exports of a lazily loaded page are used.
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && ts.isStringLiteral(node.arguments[0])) use(node.arguments[0], '*');
    ts.forEachChild(node, visit);
  };
  visit(source);
  exported.set(file, names);
}

const unused = [...exported].flatMap(([file, names]) =>
  isEntry(file) || generated.includes(file) || used.has(`${file} *`)
    ? []
    : [...names].filter((name) => !used.has(`${file} ${name}`)).map((name) => `${file}: ${name}`),
);
if (unused.length > 0) {
  console.error(`Exported, and imported by nothing:\n${unused.join('\n')}`);
  process.exit(1);
}
