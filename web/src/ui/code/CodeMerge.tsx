import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useText } from '@/i18n';
import styles from './Code.module.css';
import { surroundings, type CodeLanguage } from './codemirror';
import { codeMessages } from './messages';

interface Side {
  label: string;
  text: string;
}

export interface CodeMergeProps {
  before: Side;
  after: Side;
  language: CodeLanguage;
  /** Makes the second text editable, with buttons that adopt a change from the first. */
  onChange?: (text: string) => void;
}

const narrow = '(max-width: 760px)';

/** Two texts side by side, or one above the other on narrow screens. Equal ranges are folded. */
export default function CodeMerge({ before, after, language, onChange }: CodeMergeProps) {
  const t = useText(codeMessages);
  const isNarrow = useMediaQuery(narrow, undefined, { getInitialValueInEffect: false });
  const holder = useRef<HTMLDivElement>(null);
  const onTyped = useEffectEvent((text: string) => onChange?.(text));
  const readOnly = onChange === undefined;
  const startText = useEffectEvent(() => after.text);
  const take = t('take');
  // While the text is editable, a change of `after` does not reset the editor, because it is the typed text.
  const shown = readOnly ? after.text : '';

  useEffect(() => {
    const parent = holder.current;
    if (parent === null) return;
    const listener = EditorView.updateListener.of((update) => {
      if (update.docChanged) onTyped(update.state.doc.toString());
    });
    const collapseUnchanged = { margin: 3, minSize: 8 };
    const second = [surroundings(language, after.label, readOnly), listener];
    if (isNarrow) {
      const extensions = [second, unifiedMergeView({ original: before.text, mergeControls: false, collapseUnchanged, gutter: true })];
      const view = new EditorView({ parent, state: EditorState.create({ doc: startText(), extensions }) });
      return () => view.destroy();
    }
    const view = new MergeView({
      parent,
      a: { doc: before.text, extensions: surroundings(language, before.label, true) },
      b: { doc: startText(), extensions: second },
      collapseUnchanged,
      ...(readOnly ? {} : { revertControls: 'a-to-b' as const, renderRevertControl: () => revertButton(take) }),
    });
    return () => view.destroy();
  }, [before.text, before.label, after.label, shown, language, readOnly, isNarrow, take]);

  return (
    <div className={styles.merge}>
      <div className={styles.heads} aria-hidden="true">
        <span>{before.label}</span>
        <span>{after.label}</span>
      </div>
      <div ref={holder} />
    </div>
  );
}

function revertButton(label: string): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.title = label;
  button.setAttribute('aria-label', label);
  button.textContent = '→';
  return button;
}
