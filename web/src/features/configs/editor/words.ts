import { useUser, type PersonName } from '@/api';
import { useFormat, useText } from '@/i18n';
import { encode, type Value } from '@/merge';
import { editorMessages } from './messages';

/** How people read places and values of a config. */
export function useWords() {
  const t = useText(editorMessages);
  const me = useUser().id;
  const { list } = useFormat();
  const labels: Readonly<Record<string, string>> = { value: t('value'), valueType: t('type'), remark: t('remark'), schema: t('schema') };
  /** Remark for /remark, and the key path within the value for /value/retries. */
  const place = (pointer: string): string => {
    const [, member = '', ...inner] = pointer.split('/');
    const label = labels[member] ?? pointer;
    if (inner.length === 0) return label;
    return member === 'value' ? `/${inner.join('/')}` : `${label} /${inner.join('/')}`;
  };
  return {
    place,
    places: (pointers: readonly string[]) => list([...new Set(pointers.map(place))]),
    people: (names: readonly PersonName[]) => list(names.map(({ name }) => name)),
    who: (person: PersonName) => (person.id === me ? t('you') : person.name),
    show: (value: Value): string => {
      if (value === undefined) return t('absent');
      if (value === '') return t('emptyText');
      return typeof value === 'string' ? value : encode(value);
    },
  };
}

/** Whether a key path is set in monospace: it is one, and no word. */
export const isKeyPath = (place: string) => place.startsWith('/');
