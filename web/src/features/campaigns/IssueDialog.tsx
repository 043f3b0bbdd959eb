import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { isProblem, useIdempotencyKey, type ApiProblem } from '@/api';
import { useText } from '@/i18n';
import { Banner, OutcomeNotice, useNow } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { IssuedCodes } from './IssuedCodes';
import { emptyIssue, formOf, IssueInputs, requestOf, sizeOf, type IssueForm } from './IssueInputs';
import { IssueRefusal } from './IssueRefusal';
import { campaignMessages } from './messages';
import { issueCoupons, type Campaign, type IssueRequest } from './queries';
import { useSent } from './sent';
import { stateOf } from './state';

interface Props {
  campaign: Campaign;
  onClose: () => void;
}

interface Issued {
  codes: string[];
  request: IssueRequest;
  replayed: boolean;
}

/** Issues coupons: says what will be left, then gives the codes, or says which limit stands against it. */
export function IssueDialog({ campaign, onClose }: Props) {
  const t = useText(campaignMessages);
  const ui = useText(uiMessages);
  const queries = useQueryClient();
  const scope = `coupon-campaigns/${campaign.id}/coupons`;
  const { key, renew } = useIdempotencyKey(scope);
  const { sent, keep, forget } = useSent<IssueRequest>(scope, key);
  const [form, setForm] = useState<IssueForm>(() => (sent === undefined ? emptyIssue : formOf(sent)));
  const [strict, setStrict] = useState(false);
  const [issued, setIssued] = useState<Issued>();
  const over = stateOf(campaign, useNow()) === 'over';
  const run = useMutation({
    mutationFn: (request: IssueRequest) => {
      keep(request);
      return issueCoupons(campaign.id, request, key);
    },
    onSuccess: ({ data: { codes }, replayed }, request) => {
      renew();
      forget();
      setIssued({ codes, request, replayed });
    },
    onError: (error) => {
      if (isProblem(error) && (error.isOutcomeUnknown || isStillRunning(error))) return;
      renew();
      forget();
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['coupon-campaigns'] });
      void queries.invalidateQueries({ queryKey: ['coupons'] });
    },
  });
  // While the outcome is open only the same can be asked again.
  const open = sent !== undefined && !run.isPending;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setStrict(true);
    const request = sent ?? requestOf(form);
    if (request !== undefined) run.mutate(request);
  };
  const change = (next: Partial<IssueForm>) => {
    run.reset();
    setForm((before) => ({ ...before, ...next }));
  };
  return (
    <Modal opened onClose={onClose} size="lg" title={t('issueTitle', { name: campaign.name })} closeButtonProps={{ 'aria-label': ui('close') }}>
      {issued !== undefined ? (
        <IssuedCodes campaign={campaign} {...issued} onClose={onClose} />
      ) : (
        <form onSubmit={submit} noValidate>
          <Stack gap="md">
            <OutcomeNotice requestKey={key} />
            {open ? (
              <Banner tone="warn" title={t('resend')}>
                {t('resendHint')}
              </Banner>
            ) : (
              run.error !== null && <IssueRefusal error={run.error} asked={sizeOf(form)} form={form} onChange={change} />
            )}
            {over && !open && run.error === null && (
              <Banner tone="warn" title={t('overAlready')}>
                {t('overHint')}
              </Banner>
            )}
            <IssueInputs form={form} campaign={campaign} strict={strict} disabled={sent !== undefined} onChange={change} />
            <Group justify="flex-end">
              <Button onClick={onClose}>{ui('cancel')}</Button>
              <Button type="submit" variant="filled" disabled={over && !open} loading={run.isPending}>
                {t(open ? 'askAgain' : 'issue')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

/** An earlier attempt under the same key has not ended: a conflict that asks to come again. */
const isStillRunning = ({ status, retryAfter }: ApiProblem) => status === 409 && retryAfter !== undefined;
