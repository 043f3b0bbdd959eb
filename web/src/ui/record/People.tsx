import { useFormat, useText } from '@/i18n';
import { editMessages } from '../edit/messages';
import type { Present } from '../edit/usePresence';
import { Avatar } from '../Person';
import styles from './People.module.css';

interface Props {
  present: readonly Present[];
  /** What a field is called. */
  fieldLabel: (field: string) => string | undefined;
}

/** Who else is on a record, and on which field. */
export function People({ present, fieldLabel }: Props) {
  const t = useText(editMessages);
  const { list } = useFormat();
  if (present.length === 0) return null;
  const said = present.map(({ person: { name }, field }) => {
    const label = field === undefined ? undefined : fieldLabel(field);
    return label === undefined ? name : t('hereOn', { name, field: label });
  });
  const words = t('here', { names: list(said) });
  return (
    <span className={styles.people} role="status" title={words}>
      <span className="unseen">{words}</span>
      {present.map(({ person }) => (
        <span key={person.id} className={styles.person} aria-hidden="true">
          <Avatar person={person} size={24} />
          <span className={styles.name}>{person.name}</span>
        </span>
      ))}
    </span>
  );
}
