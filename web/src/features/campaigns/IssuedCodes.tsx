import { Button, Group, Stack } from '@mantine/core';
import { useText } from '@/i18n';
import { Banner, Icon, useToasts } from '@/ui';
import { csv, download } from '@/ui/table';
import styles from './IssuedCodes.module.css';
import { campaignMessages } from './messages';
import type { Campaign, IssueRequest } from './queries';

interface Props {
  campaign: Campaign;
  codes: readonly string[];
  request: IssueRequest;
  onClose: () => void;
}

/** The codes that were issued, to copy or to download. */
export function IssuedCodes({ campaign, codes, request, onClose }: Props) {
  const t = useText(campaignMessages);
  const toasts = useToasts();
  const users = 'userIds' in request ? request.userIds : undefined;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(codes.join('\n'));
      toasts.done(t('copiedCodes'));
    } catch {
      // Pages that did not come over TLS have no clipboard.
      toasts.info(t('copyRefused'));
    }
  };
  const save = () => {
    const rows = codes.map((code, i) => (users === undefined ? [code] : [code, String(users[i])]));
    download(`campaign-${campaign.id}-coupons.csv`, csv([users === undefined ? [t('code')] : [t('code'), t('user')], ...rows]));
  };
  return (
    <Stack gap="md">
      <Banner tone="ok" title={t('issuedNow', { n: codes.length })}>
        {t('issuedHint')}
      </Banner>
      <div className={styles.codes} tabIndex={0} role="region" aria-label={t('codes')}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t('code')}</th>
              {users !== undefined && <th scope="col">{t('user')}</th>}
            </tr>
          </thead>
          <tbody>
            {codes.map((code, i) => (
              <tr key={code}>
                <td className="mono">{code}</td>
                {users !== undefined && <td>{users[i]}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Group justify="flex-end">
        <Button leftSection={<Icon name="copy" />} onClick={() => void copy()}>
          {t('copyCodes')}
        </Button>
        <Button leftSection={<Icon name="download" />} onClick={save}>
          {t('download')}
        </Button>
        <Button variant="filled" onClick={onClose}>
          {t('done')}
        </Button>
      </Group>
    </Stack>
  );
}
