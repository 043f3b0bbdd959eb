import { jsonLanguage } from '@codemirror/lang-json';
import type { SyntaxNode } from '@lezer/common';
import { namesOf } from '@/merge';

export interface Range {
  from: number;
  to: number;
}

/** The range of a pointer's value in a JSON text; if it does not exist, the range of its nearest ancestor. */
export function rangeOf(text: string, pointer: string): Range {
  let node = jsonLanguage.parser.parse(text).topNode.firstChild;
  for (const name of namesOf(pointer)) {
    const inner: SyntaxNode | undefined = node === null ? undefined : child(node, name, text);
    if (inner === undefined) break;
    node = inner;
  }
  return node === null ? { from: 0, to: text.length } : { from: node.from, to: node.to };
}

function child(node: SyntaxNode, name: string, text: string): SyntaxNode | undefined {
  if (node.name === 'Array') return values(node)[Number(name)];
  const property = node.getChildren('Property').findLast((one) => nameOf(one, text) === name);
  return property?.lastChild ?? undefined;
}

function values(array: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let node = array.firstChild; node !== null; node = node.nextSibling) {
    if (!'[],⚠'.includes(node.name)) found.push(node);
  }
  return found;
}

function nameOf(property: SyntaxNode, text: string): string | undefined {
  const name = property.getChild('PropertyName');
  if (name === null) return undefined;
  try {
    return JSON.parse(text.slice(name.from, name.to)) as string;
  } catch {
    return undefined;
  }
}
