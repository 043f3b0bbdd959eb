import { useFormat } from '@/i18n';

/** An amount in minor units, in tabular figures. */
export function Money({ minor }: { minor: number }) {
  const { money } = useFormat();
  return <span className="tabular">{money(minor)}</span>;
}
