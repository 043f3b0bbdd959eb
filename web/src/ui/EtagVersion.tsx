import { useText } from '@/i18n';
import { uiMessages } from './messages';
import { StatusChip } from './StatusChip';

interface Props {
  version: number;
  /** Shown as the title, for comparison with a log. */
  etag?: string;
  tone?: 'accent' | 'neutral';
}

export function EtagVersion({ version, etag, tone = 'accent' }: Props) {
  const t = useText(uiMessages);
  const said = etag === undefined ? t('version', { version: String(version) }) : t('versionTitle', { version: String(version), etag });
  return (
    <span title={said}>
      <StatusChip tone={tone}>v{version}</StatusChip>
    </span>
  );
}
