import { NativeSelect, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { Banner, FormDialog, useFaults, useKeyedForm, useToasts } from '@/ui';
import { TimeInput } from '@/ui/TimeInput';
import { WorkOrderStatusChip } from './Chips';
import { workOrderMessages } from './messages';
import styles from './OpenDialog.module.css';
import { blankOpening, isComplete, isLink, linksOf, maxTextLength, maxTitleLength, maxLinks, requestOf, type OpeningForm } from './opening';
import { openWorkOrder, workOrdersOf, type WorkOrder, type WorkOrderPriority } from './queries';
import { priorities } from './statuses';

interface Props {
  /** The record of the work order, if the dialog was opened on a record's page. */
  about?: string;
  onClose: () => void;
}

/** The dialog that creates a work order. If it was opened on a record's page, it also lists the existing work orders of that record. */
export function OpenDialog({ about, onClose }: Props) {
  const t = useText(workOrderMessages);
  const toasts = useToasts();
  const keyed = useKeyedForm<OpeningForm, WorkOrder>({
    scope: `work-orders/new${about === undefined ? '' : `/${about}`}`,
    title: t('openTitle'),
    topics: ['work-orders', 'overview'],
    open: () => blankOpening(about),
    isComplete,
    send: (form, key) => openWorkOrder(requestOf(form), key),
    onDone: ({ id }) => {
      toasts.done(t('openedDone', { id: String(id) }));
      onClose();
    },
  });
  const { form, change, isFixed } = keyed;
  const links = linksOf(form);
  const { errorOf, hasInput } = useFaults(keyed, ['title', 'body', 'dueTime', 'links', ...links.map((_, i) => `links/${i}`)], (name) => {
    if (name === 'title') return form.title.trim() === '' && t('titleNeeded');
    if (name !== 'links') return undefined;
    const stranger = links.find((link) => !isLink(link));
    return stranger === undefined ? links.length > maxLinks && t('linksMax', { n: String(maxLinks) }) : t('linkWrong', { link: stranger });
  });
  const wrongLink = ['links', ...links.map((_, i) => `links/${i}`)].map(errorOf).find((text) => text !== undefined);
  return (
    <FormDialog form={keyed} title={t('openTitle')} confirm={t('openConfirm')} hasInput={hasInput} onClose={onClose}>
      <Text c="dimmed">{t('openHint')}</Text>
      {about !== undefined && <Already about={about} />}
      <TextInput
        label={t('subject')}
        maxLength={maxTitleLength}
        disabled={isFixed}
        value={form.title}
        error={errorOf('title')}
        onChange={(event) => change({ title: event.currentTarget.value })}
        data-autofocus
      />
      <Textarea
        label={t('body')}
        autosize
        minRows={3}
        maxRows={12}
        maxLength={maxTextLength}
        disabled={isFixed}
        value={form.body}
        error={errorOf('body')}
        onChange={(event) => change({ body: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <NativeSelect
          label={t('priority')}
          disabled={isFixed}
          value={form.priority}
          data={priorities.map((priority) => ({ value: priority, label: t(priority) }))}
          onChange={(event) => change({ priority: event.currentTarget.value as WorkOrderPriority })}
        />
        <TimeInput label={t('dueTime')} disabled={isFixed} time={form.dueTime} error={errorOf('dueTime')} onTime={(dueTime) => change({ dueTime })} />
      </SimpleGrid>
      <Textarea
        label={t('links')}
        description={t('linksHint')}
        autosize
        minRows={1}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        disabled={isFixed}
        value={form.links}
        error={wrongLink}
        onChange={(event) => change({ links: event.currentTarget.value })}
      />
    </FormDialog>
  );
}

/** The existing work orders of a record, so that the user does not create a duplicate. */
function Already({ about }: { about: string }) {
  const t = useText(workOrderMessages);
  const { data } = useQuery({ ...workOrdersOf(about), enabled: useMay()('work-orders:read') });
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Banner tone="info" title={t('already')}>
      <ul className={styles.already}>
        {data.items.map(({ id, title, status }) => (
          <li key={id}>
            <Link to="/work-orders/$id" params={{ id: String(id) }}>
              {title}
            </Link>{' '}
            <WorkOrderStatusChip status={status} />
          </li>
        ))}
      </ul>
    </Banner>
  );
}
