import { useText } from '@/i18n';
import { ShownOnce } from '../ShownOnce';
import { factorMessages } from './messages';

/** Recovery codes, displayed only once. */
export function RecoveryCodes({ codes, onStored }: { codes: readonly string[]; onStored: () => void }) {
  const t = useText(factorMessages);
  const labels = {
    title: t('codesTitle'),
    warning: t('codesWarning'),
    hint: t('codesHint'),
    secret: t('codes'),
    download: t('download'),
    copy: t('copy'),
    copied: t('copied'),
    stored: t('stored'),
  };
  return <ShownOnce labels={labels} lines={codes} fileName="interlock-recovery-codes.txt" onStored={onStored} />;
}
