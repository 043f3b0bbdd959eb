import { useText } from '@/i18n';
import { Avatar, type Present } from '@/ui';
import styles from './Editor.module.css';
import { editorMessages } from './messages';
import { useWords } from './words';

/** Who else is on this record. */
export function PeopleHere({ present }: { present: readonly Present[] }) {
  const t = useText(editorMessages);
  const { place } = useWords();
  if (present.length === 0) return null;
  return (
    <span className={styles.people} role="status">
      {t('onRecord')}
      {present.map(({ person, field }) => (
        <span
          key={person.id}
          className={styles.person}
          title={field === undefined ? person.name : t('present', { who: person.name, field: place(`/${field}`) })}
        >
          <Avatar person={person} size={24} />
          {person.name}
        </span>
      ))}
    </span>
  );
}
