import { Button } from '@mantine/core';
import { useText } from '@/i18n';
import { Banner, Icon, useCopy } from '@/ui';
import { csv, download } from '@/ui/table';
import styles from './IssuedCodes.module.css';
import { campaignMessages } from './messages';
import type { Campaign } from './queries';

export interface Issued {
  codes: readonly string[];
  /** For whom each is, in their order; undefined when for whoever has the code. */
  users: readonly string[] | undefined;
}

/** The codes that were issued. */
export function IssuedCodes({ issued: { codes, users } }: { issued: Issued }) {
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
    </>
  );
}

/** Copies the codes, or hands them out as a file. */
export function IssuedActions({ campaign, issued: { codes, users } }: { campaign: Campaign; issued: Issued }) {
  const t = useText(campaignMessages);
  const copy = useCopy();
  const save = () => {
    const rows = codes.map((code, i) => (users === undefined ? [code] : [code, String(users[i])]));
    download(`campaign-${campaign.id}-coupons.csv`, csv([users === undefined ? [t('code')] : [t('code'), t('user')], ...rows]));
  };
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
