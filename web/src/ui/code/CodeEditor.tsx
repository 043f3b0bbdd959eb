import { setDiagnostics } from '@codemirror/lint';
import { Annotation, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useEffectEvent, useMemo, useRef } from 'react';
import { useText } from '@/i18n';
import styles from './Code.module.css';
import { surroundings, type CodeLanguage } from './codemirror';
import { codeMessages } from './messages';
import { rangeOf, type Range } from './position';

/** A fault in a text, at an offset or at a JSON Pointer. */
export type Fault = { message: string } & ({ offset: number } | { pointer: string });

export interface CodeEditorProps {
  label: string;
  language: CodeLanguage;
  value: string;
  onChange: (value: string) => void;
  readOnly: boolean;
  faults: readonly Fault[];
}

/** Marks changes that came from outside the editor, not from typing. */
const fromOutside = Annotation.define<boolean>();

/** A text in CodeMirror. Faults are underlined in the text and listed below it with their lines. */
export default function CodeEditor({ label, language, value, onChange, readOnly, faults }: CodeEditorProps) {
  const t = useText(codeMessages);
  const holder = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const onTyped = useEffectEvent((text: string) => onChange(text));
  const startText = useEffectEvent(() => value);
  const marks = useMemo(() => faults.map((fault) => ({ ...rangeOfFault(value, fault), message: fault.message })), [value, faults]);

  useEffect(() => {
    if (holder.current === null) return;
    const made = new EditorView({
      parent: holder.current,
      state: EditorState.create({
        doc: startText(),
        extensions: [
          surroundings(language, label, readOnly),
          EditorView.updateListener.of((update) => {
            const typed = update.docChanged && !update.transactions.some((transaction) => transaction.annotation(fromOutside) === true);
            if (typed) onTyped(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [language, label, readOnly]);

  useEffect(() => {
    const { current } = view;
    if (current === undefined) return;
    const before = current.state.doc.toString();
    if (before !== value) current.dispatch({ changes: changeBetween(before, value), annotations: fromOutside.of(true) });
  }, [value, language, label, readOnly]);

  useEffect(() => {
    const { current } = view;
    if (current === undefined) return;
    const end = current.state.doc.length;
    current.dispatch(
      setDiagnostics(
        current.state,
        marks.map(({ from, to, message }) => ({ from: Math.min(from, end), to: Math.min(to, end), message, severity: 'error' as const })),
      ),
    );
  }, [marks, language, label, readOnly]);

  const go = ({ from }: Range) => {
    view.current?.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    view.current?.focus();
  };
  return (
    <>
      <div ref={holder} className={styles.editor} data-invalid={marks.length > 0 || undefined} data-read-only={readOnly || undefined} />
      {marks.length > 0 && (
        <div className={styles.faults} role="alert">
          {marks.map((mark) => (
            <div key={`${mark.from} ${mark.message}`}>
              <button type="button" className={styles.line} onClick={() => go(mark)}>
                {t('line', { line: String(value.slice(0, mark.from).split('\n').length) })}
              </button>{' '}
              {mark.message}
            </div>
          ))}
        </div>
      )}
    </>
  );
}

function rangeOfFault(text: string, fault: Fault): Range {
  if ('pointer' in fault) return rangeOf(text, fault.pointer);
  const from = Math.min(fault.offset, Math.max(0, text.length - 1));
  return { from, to: from + 1 };
}

/** Returns the smallest changed range. Replacing only this range preserves the position of the caret. */
function changeBetween(before: string, after: string): { from: number; to: number; insert: string } {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
