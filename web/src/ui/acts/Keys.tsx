import styles from './Keys.module.css';

/** Keys that are pressed together or one after the other. */
export function Keys({ keys }: { keys: readonly string[] }) {
  return keys.map((key, i) => (
    <kbd key={i} className={styles.key}>
      {key.length === 1 ? key.toUpperCase() : key}
    </kbd>
  ));
}
