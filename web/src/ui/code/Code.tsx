import { lazy, Suspense } from 'react';
import styles from './Code.module.css';
import type { CodeEditorProps } from './CodeEditor';
import type { CodeMergeProps } from './CodeMerge';

export type { Fault } from './CodeEditor';

const Editor = lazy(() => import('./CodeEditor'));
const Merge = lazy(() => import('./CodeMerge'));
const waiting = <div className={styles.waiting} aria-busy="true" />;

/** A text editor. CodeMirror is loaded with the first one. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={waiting}>
      <Editor {...props} />
    </Suspense>
  );
}

/** A comparison of two texts. */
export function CodeMerge(props: CodeMergeProps) {
  return (
    <Suspense fallback={waiting}>
      <Merge {...props} />
    </Suspense>
  );
}
