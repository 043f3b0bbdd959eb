import { Link } from '@tanstack/react-router';
import { useMay, type components } from '@/api';
import { useText } from '@/i18n';
import { Mark } from './brand/Mark';
import { uiMessages } from './messages';
import styles from './Person.module.css';

/** A user by number, or a customer by the shop's id. */
type Actor = components['schemas']['Actor'];

const hues = 6;

/** Up to two initials of a name; for Chinese names the last two characters. */
export function initialsOf(name: string): string {
  if (/\p{Script=Han}/u.test(name)) return Array.from(name).slice(-2).join('');
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)].map((word) => Array.from(word ?? '')[0]) : Array.from(name).slice(0, 2);
  return letters.join('').toUpperCase();
}

const hueOf = (id: Actor['id']): number => (typeof id === 'number' ? id : Array.from(id).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0)) % hues;

/** The initials of a user on a background colour, which is always the same for one user. */
export function Avatar({ person, size = 28 }: { person: Actor; size?: number }) {
  if (person.id === 0) return <Mark size={size} />;
  return (
    <span className={styles.avatar} data-hue={hueOf(person.id)} style={{ width: size, height: size, fontSize: size * 0.39 }} aria-hidden="true">
      {initialsOf(person.name)}
    </span>
  );
}

/** Returns the name of an actor. The id 0 is the service itself, including its command line. */
export function useActorName(): (actor: Actor) => string {
  const t = useText(uiMessages);
  return ({ id, name }) => (id === 0 ? t('system') : name);
}

/** The name of a user, linked to their page for readers with users:read. The id 0 is the service itself. */
export function Person({ person, withAvatar = false }: { person: Actor; withAvatar?: boolean }) {
  const nameOf = useActorName();
  const mayOpen = useMay()('users:read');
  const name = nameOf(person);
  const shown =
    mayOpen && typeof person.id === 'number' && person.id > 0 ? (
      <Link to="/users/$id" params={{ id: String(person.id) }} className={styles.link}>
        {name}
      </Link>
    ) : (
      <span>{name}</span>
    );
  if (!withAvatar) return shown;
  return (
    <span className={styles.person}>
      <Avatar person={{ ...person, name }} size={22} />
      {shown}
    </span>
  );
}
