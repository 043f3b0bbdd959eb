import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The syntax highlighting of a text. */
export type CodeLanguage = 'json' | 'text';

const look = EditorView.theme({
  '&': { color: 'var(--il-text)', backgroundColor: 'var(--il-card)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--il-text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--il-text)' },
  '.cm-gutters': { color: 'var(--il-dimmed)', backgroundColor: 'var(--il-card)', border: 'none' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { background: 'var(--il-soft)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--il-accent-soft)' },
  '.cm-tooltip': { color: 'var(--il-text)', backgroundColor: 'var(--il-card)', border: '1px solid var(--il-line)' },
  '.cm-lintRange-error': { backgroundColor: 'var(--il-bad-soft)', backgroundImage: 'none', textDecoration: 'underline wavy var(--il-bad)' },
  '.cm-collapsedLines': { color: 'var(--il-dimmed)', background: 'var(--il-soft)' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { color: 'var(--il-dimmed)' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'color-mix(in srgb, var(--il-bad-soft) 55%, transparent)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'color-mix(in srgb, var(--il-ok-soft) 55%, transparent)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': { background: 'var(--il-bad-soft)' },
  '&.cm-merge-b .cm-changedText': { background: 'var(--il-ok-soft)' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--il-bad)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--il-ok)' },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--il-accent)' },
  { tag: tags.string, color: 'var(--il-ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--il-info)' },
]);

/**
 * Returns the CodeMirror extensions of all code editors. Tab moves to the next field instead of
 * indenting, so that the keyboard focus is never trapped.
 */
export function surroundings(language: CodeLanguage, label: string, readOnly: boolean): Extension[] {
  return [
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, ...(readOnly ? { tabindex: '0', 'aria-readonly': 'true' } : {}) }),
    EditorState.readOnly.of(readOnly),
    EditorView.editable.of(!readOnly),
    language === 'json' ? [json(), syntaxHighlighting(colours)] : [],
    look,
  ];
}
