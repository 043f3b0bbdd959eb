import type { PersonName } from '@/api';
import { useFormat, useText } from '@/i18n';
import { editMessages } from '../edit/messages';
import type { Present } from '../edit/usePresence';
import { Avatar } from '../Person';
import styles from './People.module.css';

interface Props {
  present: readonly Present[];
  /** The label of a field. */
  fieldLabel: (field: string) => string | undefined;
}

/** The other users on a record, and the field that each one has open. */
export function People({ present, fieldLabel }: Props) {
  const t = useText(editMessages);
  const { list } = useFormat();
  if (present.length === 0) return null;
  const said = present.map(({ person: { name }, field }) => {
    const label = field === undefined ? undefined : fieldLabel(field);
    return label === undefined ? name : t('hereOn', { name, field: label });
  });
  const labels = t('here', { names: list(said) });
  return (
    <span role="status" title={labels}>
      <PeopleHere people={present.map(({ person }) => person)} labels={labels} />
    </span>
  );
}

/** The users on a record, by initials and names; `words` is the text for screen readers. */
export function PeopleHere({ people, labels }: { people: readonly PersonName[]; labels?: string }) {
  const t = useText(editMessages);
  const { list } = useFormat();
  return (
    <span className={styles.people}>
      <span className="unseen">{labels ?? t('here', { names: list(people.map(({ name }) => name)) })}</span>
      {people.map((person) => (
        <span key={person.id} className={styles.person} aria-hidden="true">
          <Avatar person={person} size={24} />
          <span className={styles.name}>{person.name}</span>
        </span>
      ))}
    </span>
  );
}
