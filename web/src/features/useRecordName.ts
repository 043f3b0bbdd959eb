import { useLocalText } from '@/i18n';
import { unescaped } from '@/ui/RecordLink';
import { resourceIn } from './resources';

/** Returns the name of a path of the service for a reader: "Order 41" for "orders/41", "Orders" for "orders". */
export function useRecordName(): (path: string) => string {
  const text = useLocalText();
  return (path) => {
    const [folder = '', ...id] = path.split('/');
    const { label, found } = resourceIn(folder) ?? {};
    const [all] = Object.values(found ?? {});
    if (id.length === 0) return all === undefined ? path : text(all.label);
    return label === undefined ? path : `${text(label)} ${id.map(unescaped).join('/')}`;
  };
}
