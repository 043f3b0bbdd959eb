import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { Banner, ProblemBanner, useToasts } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { Lines, useSay } from './Lines';
import { placeMessages } from './messages';
import { hasPlace, mistakesOf, placeOf, refusedAt, requestOf, type Mistakes, type Placement } from './placement';
import { placeOrder } from './queries';
import { usePlacement } from './usePlacement';

/** The dialog that places an order. What is typed stays until it is placed or discarded. */
export function PlaceOrder({ onClose }: { onClose: () => void }) {
  const t = useText(placeMessages);
  const ui = useText(uiMessages);
  const say = useSay();
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const draft = usePlacement();
  const { value } = draft;
  const [mistakes, setMistakes] = useState<Mistakes>({});
  const place = useMutation({
    mutationFn: () => {
      draft.sending();
      return placeOrder(requestOf(value), draft.key);
    },
    onSuccess: (order) => {
      draft.clear();
      void queries.invalidateQueries({ queryKey: ['orders'] });
      toasts.done(t('placed', { number: order.orderNo }));
      onClose();
      void navigate({ to: '/orders/$id', params: { id: String(order.id) } });
    },
    onError: (error) => {
      if (isProblem(error) && error.isOutcomeUnknown) return;
      draft.refused();
      setMistakes(refusedAt(error, value));
    },
  });
  const isOpen = draft.isOpen && !place.isPending;
  const isTold = (pointer: string) => hasPlace(placeOf(pointer), value.lines.length);
  const isShown = Object.keys(mistakes).length > 0 && Object.keys(mistakes).every(isTold);
  const change = (next: Placement, gone: (pointer: string) => boolean) => {
    draft.setValue(next);
    setMistakes((before) => Object.fromEntries(Object.entries(before).filter(([pointer]) => !gone(pointer))));
    place.reset();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const found = isOpen ? {} : mistakesOf(value);
    setMistakes(found);
    if (Object.keys(found).length === 0) place.mutate();
  };
  const discard = () => {
    draft.clear();
    setMistakes({});
    place.reset();
  };
  return (
    <Modal opened onClose={onClose} size="lg" title={t('title')} closeButtonProps={{ 'aria-label': ui('close') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {isOpen && <Banner tone="warn" title={t('unknown')} />}
          {!isOpen && draft.restored && draft.isTyped && <Banner tone="info" title={t('restored')} />}
          {place.error !== null && !isOpen && !isShown && <ProblemBanner error={place.error} told={isTold} />}
          <TextInput
            label={t('user')}
            autoComplete="off"
            withAsterisk
            maxLength={64}
            value={value.userId}
            error={say(mistakes['/userId'])}
            disabled={draft.isOpen}
            onChange={({ currentTarget: { value: userId } }) => change({ ...value, userId }, (pointer) => pointer === '/userId')}
            data-autofocus
          />
          <Lines
            lines={value.lines}
            mistakes={mistakes}
            disabled={draft.isOpen}
            onChange={(lines, touched) =>
              change({ ...value, lines }, (pointer) => {
                const at = Number(/^\/items\/(\d+)/.exec(pointer)?.[1] ?? Number.NaN);
                return touched.on ? at >= touched.line : at === touched.line;
              })
            }
          />
          <TextInput
            label={t('coupon')}
            description={t('couponHint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            autoComplete="off"
            classNames={{ input: 'mono' }}
            maxLength={64}
            value={value.couponCode}
            error={say(mistakes['/couponCode'])}
            disabled={draft.isOpen}
            onChange={({ currentTarget: { value: couponCode } }) => change({ ...value, couponCode }, (pointer) => pointer === '/couponCode')}
          />
          <Group justify="flex-end">
            {(draft.isTyped || isOpen) && (
              <Button onClick={discard} disabled={place.isPending} mr="auto">
                {t('discard')}
              </Button>
            )}
            <Button onClick={onClose}>{t('later')}</Button>
            <Button type="submit" variant="filled" loading={place.isPending}>
              {t(isOpen ? 'again' : 'place')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
