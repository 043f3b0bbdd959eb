import { useText, useFormat } from '@/i18n';
import { Banner } from '../feedback/Banner';
import { When } from '../When';
import { changedFields, type Fields, type FieldTexts } from './fields';
import { editMessages } from './messages';
import type { Draft } from './useDraft';
import type { Stamped } from './useRecordForm';

interface Props<R extends Stamped, T> {
  draft: Draft<R, T>;
  current: R;
  read: (record: R) => T;
  texts: FieldTexts<T>;
}

/** What happened to the record while its form was open: others' changes, and what was typed earlier. */
export function EditNotices<R extends Stamped, T extends Fields>({ draft, current, read, texts }: Props<R, T>) {
  const t = useText(editMessages);
  const { list } = useFormat();
  const { newer, followed, restored, base } = draft;
  const names = (fields: readonly (keyof T & string)[]) => list(fields.map((field) => texts[field].label));
  const theirs = newer === undefined ? [] : changedFields(texts, base.value, read(newer));
  const seen = followed.map((pointer) => pointer.slice(1));
  return (
    <>
      {restored !== undefined && (
        <Banner tone="info" title={t.rich('restored', { when: <When time={new Date(restored).toISOString()} /> })}>
          {t('restoredHint')}
        </Banner>
      )}
      {newer !== undefined && theirs.length > 0 && (
        <Banner tone="warn" title={t.rich('newer', { who: newer.updatedBy.name, fields: names(theirs), when: <When time={newer.updatedTime} /> })}>
          {t('newerHint')}
        </Banner>
      )}
      {seen.length > 0 && (
        <Banner tone="info" title={t.rich('followed', { who: current.updatedBy.name, fields: names(seen), when: <When time={current.updatedTime} /> })} />
      )}
    </>
  );
}
