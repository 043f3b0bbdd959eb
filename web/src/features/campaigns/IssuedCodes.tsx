import { Button } from '@mantine/core';
import { useText } from '@/i18n';
import { Banner, Icon, useCopy } from '@/ui';
import { csv, download } from '@/ui/table';
import styles from './IssuedCodes.module.css';
import { campaignMessages } from './messages';
import type { Campaign } from './queries';

export function IssuedCodes({ codes }: { codes: readonly string[] }) {
  const t = useText(campaignMessages);
  return (
    <>
      <Banner tone="ok" title={t('issuedNow', { n: codes.length })}>
        {t('issuedHint')}
      </Banner>
      <div className={styles.codes} tabIndex={0} role="region" aria-label={t('codes')}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t('code')}</th>
            </tr>
          </thead>
          <tbody>
            {codes.map((code) => (
              <tr key={code}>
                <td className="mono">{code}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Copies the codes, or downloads them as a file. */
export function IssuedActions({ campaign, codes }: { campaign: Campaign; codes: readonly string[] }) {
  const t = useText(campaignMessages);
  const copy = useCopy();
  const save = () => download(`campaign-${campaign.id}-coupons.csv`, csv([[t('code')], ...codes.map((code) => [code])]));
  return (
    <>
      <Button leftSection={<Icon name="copy" />} onClick={() => void copy(codes.join('\n'))}>
        {t('copyCodes')}
      </Button>
      <Button leftSection={<Icon name="download" />} onClick={save}>
        {t('download')}
      </Button>
    </>
  );
}
