"""The verbs with which acts are ordered and announced, in their base form."""

from __future__ import annotations

from typing import Final

ORDER_VERBS: Final = (
    "abandon activate declare trigger sound hit dial shout enter complete begin launch reach "
    "engage beep catheterise cannulise add administer admit aim alert announce apply arrange "
    "ask assess attach auscultate "
    "avoid bag bandage bank bimanually bleep bolus book break bring bung call cancel cannulate "
    "carry catheterise "
    "catheterize change chart chase check chin chuck clamp clean clear close collect commence compress "
    "conduct confirm connect consult contact continue cool correct cover cross crossmatch cycle deliver dim "
    "direct discharge disconnect discontinue discuss dip divert do document drain draw drop elevate empty "
    "ensure escalate escort evaluate examine expose fast fetch file fill find fix flush follow "
    "free get give go "
    "grab group halt hand hang have head help hide hold hook increase infuse inform initiate inject insert "
    "inspect instruct intubate invite involve jaw keep leave let lay level lie lift line "
    "listen load lock log look "
    "make mark massage measure mix monitor move mute neb nebulise nebulize note notify obtain "
    "offer omit open order "
    "organise organize oxygenate page palpate pass pause perform phone place plan plug pop "
    "position preoxygenate "
    "prepare prescribe press print process prop provide pull pump push put raise read reassess "
    "recheck record "
    "refer relay remove repeat replace report request restrict resuscitate review ring roll "
    "rub run save scan "
    "schedule screen search secure see send set shift show shut sign silence sit site slide "
    "slow squeeze stabilise "
    "stabilize stand start stat stay stick stop strap suction suck summon support suspend "
    "switch take tap tell test "
    "tilt titrate top transfer transfuse treat try tube turn undo update upgrade use ventilate wait warm "
    "watch weigh wheel whack withdraw withhold wrap write rebleep reposition "
    "up-titrate gimme splint step crash crank whack bung stick slap redo fix serve hurry swallow blow "
    "hop jump "
    "drink come dial rehang warn remind persuade sort keep nebulize answer talk lose scrub rustle wee spin swing nip "
    "kill bin ditch yank touch hear join present assign prick strip squeeze score weigh scrap strike"
).split()
