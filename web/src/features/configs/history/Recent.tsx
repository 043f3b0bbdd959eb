import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { History, revisionsOf, StatusChip } from '@/ui';
import { configHistory } from '../queries';
import { useConfigLabels } from '../useConfigWords';
import { livesOf } from './lives';
import { historyMessages } from './messages';

const shown = 6;
const places = 4;

/** The latest versions next to the form, with the form's base version marked. */
export function Recent({ configKey, baseVersion }: { configKey: string; baseVersion: number }) {
  const t = useText(historyMessages);
  const query = useInfiniteQuery(configHistory(configKey));
  const [life = []] = livesOf(revisionsOf(query));
  const total = query.data?.pages[0]?.total ?? 0;
  return (
    <History
      query={query}
      aside
      labels={useConfigLabels()}
      maxPaths={places}
      entries={life.slice(0, shown).map(({ revision, changes }) => ({
        ...revision,
        id: revision.revision,
        action: t(revision.action),
        changes,
        marks:
          revision.version === baseVersion ? (
            <StatusChip>{t('yourBase')}</StatusChip>
          ) : (
            revision.version > baseVersion && <StatusChip tone="warn">{t('newer')}</StatusChip>
          ),
      }))}
      foot={
        total > 0 && (
          <Link to="/configs/$key" params={{ key: configKey }} search={{ tab: 'history' }}>
            {t('all', { n: total })}
          </Link>
        )
      }
    />
  );
}
